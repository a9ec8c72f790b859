package dev.tandem.comm.transport;

import java.time.Duration;

/**
 * How a rank waits for another in shared memory: it spins, then yields, then sleeps until it is
 * woken. Spinning and yielding are bounded, so a rank that waits for a straggler burns next to
 * nothing. A spinning rank offers its processor to others after a few microseconds: a young JVM's
 * compilers need it, and it costs next to nothing when nobody does. A rank whose waits are regular
 * wakes up in time by itself: see {@link Rhythm}.
 *
 * @param spin how long to look again and again
 * @param yields how often to let others run then, if nobody has anything to do
 * @param seat the number of the rank among those that it shares the processors with
 */
public record WaitPolicy(Duration spin, int yields, int seat) {

  /**
   * What suits one of so many ranks on this machine. If every rank has a processor of its own, the
   * answer is likely to come within microseconds; if ranks share processors, spinning would keep
   * the awaited rank from running.
   */
  public static WaitPolicy forRank(int number, int ranks) {
    return ranks <= Runtime.getRuntime().availableProcessors()
        ? new WaitPolicy(Duration.ofNanos(100_000), 0, number)
        : new WaitPolicy(Duration.ofNanos(200), 300, number);
  }
}
