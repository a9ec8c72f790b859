package dev.tandem.comm.transport;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Lets other threads run, as often as a {@link WaitPolicy} allows and as long as it helps. For one
 * thread at a time.
 *
 * <p>{@code Note [when yielding is wrong]}: a thread that works instead of waiting, as compilers
 * do, keeps a processor that was offered to it for milliseconds, while a sleeper gets one as soon
 * as it is woken. So a yield that took long ends the yielding of this wait, and of the next ones.
 *
 * <p>{@code Note [two ranks on one processor]}: ranks that have processors of their own, but that
 * the scheduler has put on one, meet by yielding again and again, a context switch each, while
 * another processor idles; the scheduler may leave them there for seconds. Who finds that several
 * yields in a row took as long as somebody else's spinning moves to another processor. If both did
 * they would meet again, so each does so with a chance of one half.
 */
final class Yielding {

  private static final long CROWDED_NANOS = 500_000;
  private static final int CROWDED_WAITS = 50;

  /** A yield that somebody took lasts longer, so fewer will do; others may be as idle as we are. */
  private static final int TAKEN_COST = 10;

  /** A yield with nobody else there is shorter. */
  private static final long SHARED_NANOS = 2_500;

  private static final int SHARED_YIELDS = 8;

  /** After an offer that somebody took for long: about as long again. */
  private static final int WITHHELD_OFFERS = 1_000;

  private final WaitPolicy policy;
  // For so many waits more there is no use in it.
  private int crowded;
  private int left;
  private int shared;
  private int withheld;

  Yielding(WaitPolicy policy) {
    this.policy = policy;
  }

  /** A wait begins. */
  void begin() {
    left = crowded > 0 ? 0 : policy.yields();
    crowded = Math.max(0, crowded - 1);
    if (left > 0) {
      Seat.take(policy.seat());
    }
  }

  /** Yields once; or does nothing and says that it is time to sleep. */
  boolean once() {
    if (left <= 0) {
      return false;
    }
    long took = yieldNanos();
    if (took > CROWDED_NANOS) {
      crowded = CROWDED_WAITS;
      left = 0;
    } else {
      left -= took < SHARED_NANOS ? 1 : TAKEN_COST;
    }
    return true;
  }

  /**
   * Yields once, by a thread that has a processor of its own, and spins, but would not keep others
   * from running: a young JVM's compilers need the processors too, or the awaited stays slow.
   */
  void offer() {
    if (withheld > 0) {
      withheld--;
      return;
    }
    long took = yieldNanos();
    withheld = took > CROWDED_NANOS ? WITHHELD_OFFERS : 0;
    shared = took > SHARED_NANOS && took < CROWDED_NANOS ? shared + 1 : 0;
    if (shared == SHARED_YIELDS) {
      shared = 0;
      if (ThreadLocalRandom.current().nextBoolean()) {
        Seat.leave();
      }
    }
  }

  /** Yields once, whatever came of it before. */
  void always() {
    yieldNanos();
  }

  @SuppressWarnings("ThreadPriorityCheck") // Bounded, and no matter of correctness.
  private static long yieldNanos() {
    long before = System.nanoTime();
    Thread.yield();
    return System.nanoTime() - before;
  }
}
