package dev.tandem.comm.transport;

import dev.tandem.posix.Affinity;
import java.util.Optional;

/**
 * Which core a waiting rank runs on. Threads are moved, never bound: the scheduler may move them
 * on, and the cores that a program has chosen for a thread stay the same.
 *
 * <p>{@code Note [where ranks wait]}: the scheduler balances threads that compute, but ranks that
 * wait for each other run for microseconds at a time, and it may leave three of four, or both of
 * two, on one of two cores for seconds. An allreduce then takes 2 to 30 times as long.
 */
final class CpuPlacement {

  private static final Optional<Affinity> AFFINITY = Affinity.capability().value();
  private static final int[] CORES =
      AFFINITY.isPresent() ? AFFINITY.get().current().stream().toArray() : new int[0];

  private CpuPlacement() {}

  /** Moves the calling thread to the core of this number, if it is elsewhere. */
  static void moveTo(int number) {
    if (movable()) {
      int core = CORES[number % CORES.length];
      if (AFFINITY.get().processor() != core) {
        AFFINITY.get().moveTo(core);
      }
    }
  }

  /** Moves the calling thread to any other core. */
  static void moveAway() {
    if (movable()) {
      AFFINITY.get().moveAway();
    }
  }

  /** A virtual thread has no core; its carrier is not ours to move. */
  private static boolean movable() {
    return CORES.length > 1 && !Thread.currentThread().isVirtual();
  }
}
