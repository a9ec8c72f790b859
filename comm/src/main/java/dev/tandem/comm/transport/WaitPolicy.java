package dev.tandem.comm.transport;

import java.time.Duration;

/**
 * How a rank waits for another in shared memory: it spins, then yields, then sleeps until it is
 * woken. Spinning and yielding are bounded, so a rank that waits for a straggler burns next to
 * nothing. A spinning rank offers its processor to others after a few microseconds: a young JVM's
 * compilers need it, and it costs next to nothing when nobody does. A rank with a processor of its
 * own whose waits are regular wakes up in time by itself: see {@link Rhythm}.
 *
 * @param spin how long to look again and again
 * @param yields how often to let others run then
 */
public record WaitPolicy(Duration spin, int yields) {

  /** Every rank has a processor of its own: the answer is likely to come within microseconds. */
  public static final WaitPolicy DEDICATED = new WaitPolicy(Duration.ofNanos(100_000), 0);

  /** Ranks share processors: spinning would keep the awaited rank from running. */
  public static final WaitPolicy OVERSUBSCRIBED = new WaitPolicy(Duration.ofNanos(200), 1_000);

  /** What suits so many ranks on this machine. */
  public static WaitPolicy forRanks(int ranks) {
    return ranks <= Runtime.getRuntime().availableProcessors() ? DEDICATED : OVERSUBSCRIBED;
  }
}
