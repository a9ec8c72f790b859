package dev.tandem.bench.sync;

import dev.tandem.bench.Bootstrap;
import dev.tandem.bench.Spread;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One result of {@code tandem bench sync}. Figures are medians of rounds, of both ranks on average.
 *
 * @param policy how gradients were synchronised; {@code none}: not at all, which no policy can
 *     beat; {@code idle-...}: a synchroniser of that policy that has nothing to do beside a serial
 *     loop, compared with the loop alone
 * @param iterationMillis that half of a round's steps did not exceed
 * @param meanMillis per step
 * @param p95Millis that 95% of a round's steps did not exceed
 * @param ratioToBaseline of {@code iterationMillis} in the same round: below 1 is faster than the
 *     spin-and-yield baseline
 * @param ratioLow of its 95% interval
 * @param ratioHigh of its 95% interval
 * @param ratioOfMeans of {@code meanMillis} to that of the baseline in the same round
 * @param ratioToBuckets of {@code iterationMillis} in the same round; 0 where not measured
 * @param backgroundCpuShare of a core; 0 with a shared pool, whose threads cannot be distinguished
 * @param controlWaitShare of the time that the background thread waited for other ranks
 * @param involuntarySwitchesPerIteration of the background threads; yields count, too
 * @param oversleepMicros that 95% of the background thread's sleeps did not exceed
 * @param awaitMillis per step in which the training thread waited for the sums
 * @param inputWaitMillis per step in which it waited for its batch
 * @param transferMillis per step in which gradients were under way
 * @param agreementsPerIteration of all ranks on what comes next
 * @param engineCpuMillis per step in which the training thread ran
 * @param engineQueuedMillis per step in which it could have run and had no core
 * @param inputCpuMillis per step in which the input threads ran
 * @param otherCpuMillis per step in which threads of the JVM ran
 * @param inert whether the policy partitions cores, which does nothing with one core per rank
 */
public record SyncRow(
    String policy,
    String input,
    double cycleMillis,
    double iterationMillis,
    double meanMillis,
    double p95Millis,
    double ratioToBaseline,
    double ratioLow,
    double ratioHigh,
    double ratioOfMeans,
    double ratioToBuckets,
    double backgroundCpuShare,
    double controlWaitShare,
    double involuntarySwitchesPerIteration,
    double oversleepMicros,
    double awaitMillis,
    double inputWaitMillis,
    double transferMillis,
    double agreementsPerIteration,
    double engineCpuMillis,
    double engineQueuedMillis,
    double inputCpuMillis,
    double otherCpuMillis,
    boolean inert,
    int rounds,
    String machine) {

  private static final String IDLE = "idle-";

  /** Whether it is about a synchroniser that had nothing to do. */
  public boolean idle() {
    return policy.startsWith(IDLE);
  }

  /** Whether the policy partitions cores: it does nothing here, where a rank has only one. */
  private static boolean inert(String policy) {
    return policy.startsWith("scp");
  }

  static SyncRow of(
      SyncTurn turn,
      List<SyncMeasurement> measured,
      Bootstrap ratio,
      double ratioOfMeans,
      double ratioToBuckets,
      String machine) {
    ToDoubleFunction<SyncFigure> median =
        figure -> Spread.of(measured.stream().map(each -> each.figure(figure)).toList()).median();
    return new SyncRow(
        turn.policy(),
        turn.input().code(),
        turn.cycleMillis(),
        median.applyAsDouble(SyncFigure.ITERATION_MILLIS),
        median.applyAsDouble(SyncFigure.MEAN_MILLIS),
        median.applyAsDouble(SyncFigure.P95_MILLIS),
        ratio.median(),
        ratio.low(),
        ratio.high(),
        ratioOfMeans,
        ratioToBuckets,
        median.applyAsDouble(SyncFigure.BACKGROUND_SHARE),
        median.applyAsDouble(SyncFigure.CONTROL_WAIT_SHARE),
        median.applyAsDouble(SyncFigure.INVOLUNTARY_SWITCHES),
        median.applyAsDouble(SyncFigure.OVERSLEEP_MICROS),
        median.applyAsDouble(SyncFigure.AWAIT_MILLIS),
        median.applyAsDouble(SyncFigure.INPUT_WAIT_MILLIS),
        median.applyAsDouble(SyncFigure.TRANSFER_MILLIS),
        median.applyAsDouble(SyncFigure.AGREEMENTS),
        median.applyAsDouble(SyncFigure.ENGINE_CPU_MILLIS),
        median.applyAsDouble(SyncFigure.ENGINE_QUEUED_MILLIS),
        median.applyAsDouble(SyncFigure.INPUT_CPU_MILLIS),
        median.applyAsDouble(SyncFigure.OTHER_CPU_MILLIS),
        inert(turn.policy()),
        measured.size(),
        machine);
  }

  /** Of a synchroniser that had nothing to do. */
  static SyncRow idle(String policy, List<IdleLoops.Pair> pairs, String machine) {
    Bootstrap ratio = Bootstrap.of(pairs.stream().map(IdleLoops.Pair::ratio).toList());
    return new SyncRow(
        IDLE + policy,
        SyncInput.SYNTHETIC.code(),
        0,
        0,
        Spread.of(pairs.stream().map(IdleLoops.Pair::millis).toList()).median(),
        0,
        ratio.median(),
        ratio.low(),
        ratio.high(),
        ratio.median(),
        0,
        Spread.of(pairs.stream().map(IdleLoops.Pair::share).toList()).median(),
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        false,
        pairs.size(),
        machine);
  }
}
