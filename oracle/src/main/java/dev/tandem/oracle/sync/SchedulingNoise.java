package dev.tandem.oracle.sync;

/**
 * What the operating system does to the threads of a rank. A thread that finds its core held by
 * another waits, exponentially distributed with one mean for all causes. The longer it has slept,
 * the likelier another has come.
 *
 * @param timerSlackMicros by which a sleep lasts longer even on an idle core, on average
 * @param holdMillis mean wait for a core that is held
 * @param takeoverMillis of sleep after which the chance that another holds the core has come to
 *     within 1/e of what it is after a long sleep
 * @param heldShare chance that a thread finds its core held by the system after a long sleep: while
 *     the input pipeline is idle, or on a core of its own
 * @param heldShareInWindow the same while the input pipeline is busy on all cores
 * @param preemptionsPerThousandNodes of its graph that the engine suffers while it dispatches them
 *     and the synchroniser spins and the input pipeline is busy
 * @param stallsPerSecond of the engine whatever the synchroniser does
 * @param jitter of the compute time from rank to rank, relative standard deviation
 */
public record SchedulingNoise(
    double timerSlackMicros,
    double holdMillis,
    double takeoverMillis,
    double heldShare,
    double heldShareInWindow,
    double preemptionsPerThousandNodes,
    double stallsPerSecond,
    double jitter) {

  /** A machine on which nothing ever waits. */
  public static final SchedulingNoise NONE = new SchedulingNoise(0, 0, 1, 0, 0, 0, 0, 0);

  public SchedulingNoise {
    if (timerSlackMicros < 0
        || holdMillis < 0
        || preemptionsPerThousandNodes < 0
        || stallsPerSecond < 0
        || jitter < 0) {
      throw new IllegalArgumentException("noise: times and rates must be at least 0");
    }
    if (!(takeoverMillis > 0)) {
      throw new IllegalArgumentException("noise.takeoverMillis: must be above 0");
    }
    if (heldShare < 0 || heldShare > 1 || heldShareInWindow < 0 || heldShareInWindow > 1) {
      throw new IllegalArgumentException("noise: held shares must lie between 0 and 1");
    }
  }
}
