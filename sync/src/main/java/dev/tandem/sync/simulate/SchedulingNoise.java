package dev.tandem.sync.simulate;

/**
 * What the operating system does to the threads of a rank. A thread that wants to run when its core
 * is held by another waits, exponentially distributed with one mean for all causes.
 *
 * @param timerSlackMicros by which a sleep lasts longer even on an idle core, on average
 * @param holdMillis mean wait for a core that is held
 * @param heldShare chance that a thread finds its core held when the input pipeline is idle
 * @param heldShareInWindow the same while the input pipeline is busy
 * @param preemptionsPerSecond that the engine suffers for each second in which the synchroniser
 *     spins while the input pipeline is busy
 * @param stallsPerSecond of the engine whatever the synchroniser does
 * @param jitter of the compute time from rank to rank, relative standard deviation
 */
public record SchedulingNoise(
    double timerSlackMicros,
    double holdMillis,
    double heldShare,
    double heldShareInWindow,
    double preemptionsPerSecond,
    double stallsPerSecond,
    double jitter) {

  /** A machine on which nothing ever waits. */
  public static final SchedulingNoise NONE = new SchedulingNoise(0, 0, 0, 0, 0, 0, 0);

  public SchedulingNoise {
    if (timerSlackMicros < 0
        || holdMillis < 0
        || preemptionsPerSecond < 0
        || stallsPerSecond < 0
        || jitter < 0) {
      throw new IllegalArgumentException("noise: times and rates must be at least 0");
    }
    if (heldShare < 0 || heldShare > 1 || heldShareInWindow < 0 || heldShareInWindow > 1) {
      throw new IllegalArgumentException("noise: held shares must lie between 0 and 1");
    }
  }
}
