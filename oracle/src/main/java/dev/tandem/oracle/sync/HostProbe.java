package dev.tandem.oracle.sync;

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures in a few seconds how late threads wake on this machine, with idle cores and with all of
 * them busy, and what it costs to look and yield. What many ranks do to each other cannot be
 * measured on one machine and stays as it is.
 */
public final class HostProbe {

  private static final double SHORT_MILLIS = 1;
  private static final double LONG_MILLIS = 5;
  private static final int NAPS = 300;
  private static final int YIELDS = 20_000;

  /** A wake-up later than this found its core held; an idle core's timer is far quicker. */
  private static final double HELD_MILLIS = 1;

  /** A share of naught in so few naps is no proof of naught. */
  private static final double LEAST_SHARE = 0.5 / NAPS;

  private HostProbe() {}

  /** Parameters with what was measured here. */
  public static SyncParameters measure(SyncParameters parameters) {
    double[] idle = lateness(LONG_MILLIS);
    double yield = yieldMicros();
    double[] contendedLong;
    double[] contendedShort;
    AtomicBoolean busy = new AtomicBoolean(true);
    Thread[] workers = new Thread[Runtime.getRuntime().availableProcessors()];
    try {
      for (int i = 0; i < workers.length; i++) {
        workers[i] = Thread.ofPlatform().name("probe-busy-" + i).daemon().start(() -> occupy(busy));
      }
      contendedLong = lateness(LONG_MILLIS);
      contendedShort = lateness(SHORT_MILLIS);
    } finally {
      busy.set(false);
    }
    SchedulingNoise noise = parameters.noise();
    SchedulingNoise measured =
        new SchedulingNoise(
            1e3 * idle[idle.length / 2],
            holdMillis(contendedLong, noise.holdMillis()),
            takeoverMillis(heldShare(contendedShort), heldShare(contendedLong)),
            heldShare(idle),
            heldShare(contendedLong),
            noise.preemptionsPerThousandNodes(),
            noise.stallsPerSecond(),
            noise.jitter());
    String what =
        String.format(
            Locale.ROOT,
            "measured here: a timer's slack %.0f microseconds, a core taken over in %.1f ms and held"
                + " for %.1f ms, with a chance of %.4f idle and %.4f busy, a yield %.2f"
                + " microseconds",
            measured.timerSlackMicros(),
            measured.takeoverMillis(),
            measured.holdMillis(),
            measured.heldShare(),
            measured.heldShareInWindow(),
            yield);
    return parameters
        .withOrigin(parameters.origin() + "; " + what)
        .with(parameters.cluster().withTest(yield))
        .with(measured);
  }

  /** How many milliseconds naps lasted longer than asked, in ascending order. */
  private static double[] lateness(double millis) {
    double[] late = new double[NAPS];
    long nanos = (long) (millis * 1e6);
    for (int i = 0; i < NAPS; i++) {
      long until = System.nanoTime() + nanos;
      for (long left = nanos; left > 0; left = until - System.nanoTime()) {
        LockSupport.parkNanos(HostProbe.class, left);
      }
      late[i] = (System.nanoTime() - until) / 1e6;
    }
    Arrays.sort(late);
    return late;
  }

  @SuppressWarnings("ThreadPriorityCheck") // What yielding costs is what is measured.
  private static double yieldMicros() {
    long began = System.nanoTime();
    for (int i = 0; i < YIELDS; i++) {
      Thread.yield();
    }
    return (System.nanoTime() - began) / 1e3 / YIELDS;
  }

  private static double heldShare(double[] late) {
    double held = Arrays.stream(late).filter(millis -> millis > HELD_MILLIS).count();
    return Math.max(LEAST_SHARE, held / late.length);
  }

  /** From the chances after a short and a long sleep, the latter taken as the whole. */
  private static double takeoverMillis(double afterShort, double afterLong) {
    double reached = Math.clamp(afterShort / afterLong, 0.01, 0.99);
    return -SHORT_MILLIS / Math.log1p(-reached);
  }

  private static double holdMillis(double[] late, double otherwise) {
    return Arrays.stream(late).filter(millis -> millis > HELD_MILLIS).average().orElse(otherwise);
  }

  private static void occupy(AtomicBoolean busy) {
    while (busy.get()) {
      Thread.onSpinWait();
    }
  }
}
