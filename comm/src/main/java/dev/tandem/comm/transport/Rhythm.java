package dev.tandem.comm.transport;

/**
 * Foresees how long the next wait for a member will take, if the last ones took about as long. A
 * sleeper that knows wakes up by itself a little earlier and looks out for the awaited, because
 * being woken takes longer than looking: 50 microseconds on a virtual machine. Looking out is
 * bounded to a small share of the wait.
 *
 * <p>For one thread at a time.
 */
final class Rhythm {

  /** Of a wait: so much too early, and so much too late at most. */
  private static final double MARGIN = 0.015;

  private static final long MOST_MARGIN_NANOS = 400_000;

  /** Below, waking up early would not pay. */
  private static final long LEAST_NANOS = 2_000_000;

  private long last;
  private long before;

  /** Takes note of a wait that ended; short ones in between do not disturb it. */
  void observe(long nanos) {
    if (nanos >= LEAST_NANOS) {
      before = last;
      last = nanos;
    }
  }

  /** Whether the next wait can be foreseen. */
  boolean steady() {
    return before != 0 && Math.abs(last - before) <= margin();
  }

  /** When to look out, from the beginning of the wait. */
  long from() {
    return (last + before) / 2 - margin();
  }

  /** When to give up looking. */
  long to() {
    return (last + before) / 2 + margin();
  }

  private long margin() {
    return Math.min(MOST_MARGIN_NANOS, (long) (MARGIN * Math.max(last, before)));
  }
}
