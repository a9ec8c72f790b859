package dev.tandem.comm.transport;

import java.util.Arrays;

/**
 * Foresees how long the next wait for a member will take, if most of the last ones took about as
 * long. A sleeper that knows wakes up by itself a little earlier and looks out for the awaited,
 * because being woken takes longer than looking: 50 microseconds on a virtual machine. Looking out
 * is bounded to a small share of the wait.
 *
 * <p>For one thread at a time.
 */
final class Rhythm {

  /** Of a wait: so much too early, and so much too late at most. */
  private static final double MARGIN = 0.015;

  private static final long MOST_MARGIN_NANOS = 400_000;

  /** Below, waking up early would not pay. */
  private static final long LEAST_NANOS = 2_000_000;

  /** Waits that are remembered: one that was disturbed does not make the next unforeseen. */
  private static final int MEMORY = 5;

  private final long[] waits = new long[MEMORY];
  private int known;
  private int next;

  /** Takes note of a wait that ended; short ones in between do not disturb it. */
  void observe(long nanos) {
    if (nanos >= LEAST_NANOS) {
      waits[next] = nanos;
      next = (next + 1) % MEMORY;
      known = Math.min(known + 1, MEMORY);
    }
  }

  /** Whether the next wait can be foreseen: more than half of the last ones were alike. */
  boolean steady() {
    long usual = usual();
    int alike = 0;
    for (int i = 0; i < known; i++) {
      alike += 2 * Math.abs(waits[i] - usual) <= margin(usual) ? 1 : 0;
    }
    return alike >= 2 && 2 * alike > known;
  }

  /** When to look out, from the beginning of the wait. */
  long from() {
    return usual() - margin(usual());
  }

  /** When to give up looking. */
  long to() {
    return usual() + margin(usual());
  }

  /** The median. */
  private long usual() {
    if (known == 0) {
      return 0;
    }
    long[] sorted = Arrays.copyOf(waits, known);
    Arrays.sort(sorted);
    return (sorted[(known - 1) / 2] + sorted[known / 2]) / 2;
  }

  private static long margin(long usual) {
    return Math.min(MOST_MARGIN_NANOS, (long) (MARGIN * usual));
  }
}
