package dev.tandem.comm.transport;

import dev.tandem.posix.Affinity;
import java.util.Optional;

/**
 * Which processor a waiting rank runs on. Threads are moved, never bound: the scheduler may move
 * them on, and the processors that a program has chosen for a thread stay the same.
 *
 * <p>{@code Note [ranks that share processors]}: the scheduler balances threads that compute, but
 * ranks that wait for each other run for microseconds at a time, and it may leave three of four on
 * one of two processors. So ranks that share processors come back, whenever they wait, to the
 * processor that their number among the ranks of their host gives them.
 */
final class Seat {

  private static final Optional<Affinity> AFFINITY = Affinity.capability().value();
  private static final int[] PROCESSORS =
      AFFINITY.isPresent() ? AFFINITY.get().current().stream().toArray() : new int[0];

  private Seat() {}

  /** Moves the calling thread to the processor of this number, if it is elsewhere. */
  static void take(int number) {
    if (movable()) {
      int processor = PROCESSORS[number % PROCESSORS.length];
      if (AFFINITY.get().processor() != processor) {
        AFFINITY.get().moveTo(processor);
      }
    }
  }

  /** Moves the calling thread to any other processor. */
  static void leave() {
    if (movable()) {
      AFFINITY.get().moveAway();
    }
  }

  /** A virtual thread has no processor; its carrier is not ours to move. */
  private static boolean movable() {
    return PROCESSORS.length > 1 && !Thread.currentThread().isVirtual();
  }
}
