package dev.tandem.comm.transport;

/**
 * Lets other threads run, as often as a {@link WaitPolicy} allows and as long as it helps. For one
 * thread at a time.
 *
 * <p>{@code Note [when yielding is wrong]}: a thread that works instead of waiting, as compilers
 * do, keeps a processor that was offered to it for milliseconds, while a sleeper gets one as soon
 * as it is woken. So a yield that took long ends the yielding of this wait, and of the next ones.
 */
final class Yielding {

  private static final long CROWDED_NANOS = 500_000;
  private static final int CROWDED_WAITS = 50;

  // For so many waits more there is no use in it.
  private int crowded;
  private int left;

  /** A wait begins in which so many yields are allowed. */
  void begin(int yields) {
    left = crowded > 0 ? 0 : yields;
    crowded = Math.max(0, crowded - 1);
  }

  /** Yields once; or does nothing and says that it is time to sleep. */
  @SuppressWarnings("ThreadPriorityCheck") // Bounded, and no matter of correctness.
  boolean once() {
    if (left <= 0) {
      return false;
    }
    left--;
    long before = System.nanoTime();
    Thread.yield();
    if (System.nanoTime() - before > CROWDED_NANOS) {
      crowded = CROWDED_WAITS;
      left = 0;
    }
    return true;
  }
}
