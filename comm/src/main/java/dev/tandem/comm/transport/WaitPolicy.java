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
 * @param manner what a spinning rank does for others
 */
public record WaitPolicy(Duration spin, int yields, int seat, Manner manner) {

  /** What a waiting rank does for the threads that it shares a processor with. */
  public enum Manner {
    /** Offers its processor while that helps, and foresees regular waits. */
    ADAPTIVE,
    /** Keeps its processor: what MPI libraries do, for comparison. */
    SPINNING,
    /** Offers its processor at every look: what MPI libraries do when told to yield. */
    YIELDING,
    /** Sleeps a little between looks, always as long: what a loop around MPI_Test does. */
    NAPPING,
    /** Sleeps nearly at once and foresees nothing: for threads that must not be noticed. */
    PARKED
  }

  /**
   * Of ranks that spin, yield or nap for comparison: longer waits than this end in sleep after all.
   */
  private static final Duration LONG = Duration.ofSeconds(1);

  /** Shorter than what it takes a spinning rank to think of others. */
  private static final Duration GLANCE = Duration.ofNanos(2_000);

  /** An adaptive policy. */
  public WaitPolicy(Duration spin, int yields, int seat) {
    this(spin, yields, seat, Manner.ADAPTIVE);
  }

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

  /** Waits in this manner, for as long as it takes. */
  public static WaitPolicy of(Manner manner, int seat) {
    return switch (manner) {
      case ADAPTIVE -> throw new IllegalArgumentException("adaptive to what? see forRank");
      case SPINNING, YIELDING, NAPPING -> new WaitPolicy(LONG, 0, seat, manner);
      case PARKED -> new WaitPolicy(GLANCE, 0, seat, manner);
    };
  }
}
