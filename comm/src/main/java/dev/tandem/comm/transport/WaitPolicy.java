package dev.tandem.comm.transport;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * How a rank waits for another: it spins, then yields, then naps, each for a bounded time, and then
 * sleeps until it is woken; see {@link SpinWait}.
 *
 * @param spin how long to look without a pause
 * @param yield how long to let other threads run between looks after that
 * @param nap how long to sleep a little between looks after that
 * @param sharedCore the number of the core that a rank comes back to if ranks share cores; empty if
 *     each has one of its own
 */
public record WaitPolicy(Duration spin, Duration yield, Duration nap, OptionalInt sharedCore) {

  /** Longer waits than this end in sleep in any case. */
  private static final Duration LONG = Duration.ofSeconds(1);

  /** Keeps its core busy, as MPI libraries do. */
  public static final WaitPolicy SPINNING = of(LONG, Duration.ZERO, Duration.ZERO);

  /** Offers its core at every look, as MPI libraries do when they are told to yield. */
  public static final WaitPolicy YIELDING = of(Duration.ZERO, LONG, Duration.ZERO);

  /** Sleeps a little between looks, as a loop around MPI_Test does. */
  public static final WaitPolicy NAPPING = of(Duration.ZERO, Duration.ZERO, LONG);

  /** Sleeps nearly at once: for threads that must not disturb others. */
  public static final WaitPolicy PARKED = of(Duration.ofNanos(2_000), Duration.ZERO, Duration.ZERO);

  private static WaitPolicy of(Duration spin, Duration yield, Duration nap) {
    return new WaitPolicy(spin, yield, nap, OptionalInt.empty());
  }

  /**
   * What suits rank {@code number} of {@code ranks} on this machine. If every rank has a core of
   * its own, the answer is likely to come within microseconds; if ranks share cores, spinning would
   * keep the awaited rank from running.
   */
  public static WaitPolicy forRank(int number, int ranks) {
    return ranks <= Runtime.getRuntime().availableProcessors()
        ? of(Duration.ofNanos(5_000), Duration.ofNanos(95_000), Duration.ZERO)
        : new WaitPolicy(
            Duration.ZERO, Duration.ofNanos(150_000), Duration.ZERO, OptionalInt.of(number));
  }
}
