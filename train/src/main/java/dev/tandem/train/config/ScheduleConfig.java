package dev.tandem.train.config;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.tandem.core.UsageException;
import dev.tandem.nn.Schedule;
import dev.tandem.nn.WarmupCosine;
import dev.tandem.nn.WarmupSteps;
import dev.tandem.nn.yaml.Default;
import java.util.List;
import java.util.Optional;

/** The learning rate over a run. */
@JsonTypeInfo(
    use = JsonTypeInfo.Id.NAME,
    property = "kind",
    defaultImpl = ScheduleConfig.Cosine.class)
@JsonSubTypes({
  @JsonSubTypes.Type(name = "constant", value = ScheduleConfig.Constant.class),
  @JsonSubTypes.Type(name = "cosine", value = ScheduleConfig.Cosine.class),
  @JsonSubTypes.Type(name = "steps", value = ScheduleConfig.Steps.class)
})
public sealed interface ScheduleConfig {

  /** The highest rate. */
  double rate();

  /**
   * The global batch that the rate is meant for: with another batch the rate is scaled in
   * proportion; 0 takes it as it is.
   */
  int forBatch();

  /** The rates of a run of this many steps, for the batch that the rate is meant for. */
  Schedule over(long stepsPerEpoch, long steps);

  /** What the rate is multiplied with for this batch. */
  default double scale(int globalBatch) {
    return forBatch() == 0 ? 1 : Schedule.linearlyScaled(1, forBatch(), globalBatch);
  }

  /** The rate does not change. */
  record Constant(double rate, @Default("0") int forBatch) implements ScheduleConfig {

    public Constant {
      check(rate, forBatch);
    }

    @Override
    public Schedule over(long stepsPerEpoch, long steps) {
      return Schedule.constant(rate);
    }
  }

  /**
   * The rate climbs to the highest and then falls to zero along half a cosine.
   *
   * @param warmupEpochs how long it climbs; or else
   * @param warmupSteps likewise; without both it starts at the highest
   */
  record Cosine(
      double rate,
      @Default("0") int forBatch,
      Optional<Double> warmupEpochs,
      Optional<Long> warmupSteps)
      implements ScheduleConfig {

    public Cosine {
      check(rate, forBatch);
      checkWarmup(warmupEpochs, warmupSteps);
    }

    @Override
    public Schedule over(long stepsPerEpoch, long steps) {
      long warmup = warmup(warmupEpochs, warmupSteps, stepsPerEpoch);
      return new WarmupCosine(rate, Math.min(steps, warmup), steps);
    }
  }

  /**
   * The rate climbs to the highest and then falls by a factor now and then.
   *
   * @param warmupEpochs how long it climbs; or else
   * @param warmupSteps likewise; without both it starts at the highest
   * @param warmupStart share of the highest rate with which the warm-up begins
   * @param fallEpochs when it falls; or else
   * @param fallSteps likewise
   */
  record Steps(
      double rate,
      @Default("0") int forBatch,
      Optional<Double> warmupEpochs,
      Optional<Long> warmupSteps,
      @Default("0") double warmupStart,
      Optional<List<Double>> fallEpochs,
      Optional<List<Long>> fallSteps,
      @Default("0.1") double factor)
      implements ScheduleConfig {

    public Steps {
      check(rate, forBatch);
      checkWarmup(warmupEpochs, warmupSteps);
      Require.notNegative("warmup-start", warmupStart);
      Require.positive("factor", factor);
      if (fallEpochs.isPresent() == fallSteps.isPresent()) {
        throw new UsageException("kind steps needs either fall-epochs or fall-steps");
      }
      fallEpochs.ifPresent(
          falls -> falls.forEach(fall -> Require.notNegative("fall-epochs", fall)));
      fallSteps.ifPresent(falls -> falls.forEach(fall -> Require.atLeast("fall-steps", 0, fall)));
    }

    @Override
    public Schedule over(long stepsPerEpoch, long steps) {
      List<Long> falls =
          fallSteps.orElseGet(
              () ->
                  fallEpochs.orElseThrow().stream()
                      .map(epochs -> Math.round(epochs * stepsPerEpoch))
                      .toList());
      long warmup = warmup(warmupEpochs, warmupSteps, stepsPerEpoch);
      return new WarmupSteps(rate * warmupStart, rate, warmup, falls, factor);
    }
  }

  private static void check(double rate, int forBatch) {
    Require.positive("rate", rate);
    Require.atLeast("for-batch", 0, forBatch);
  }

  private static void checkWarmup(Optional<Double> epochs, Optional<Long> steps) {
    epochs.ifPresent(amount -> Require.notNegative("warmup-epochs", amount));
    steps.ifPresent(amount -> Require.atLeast("warmup-steps", 0, amount));
    if (epochs.isPresent() && steps.isPresent()) {
      throw new UsageException("warmup-epochs and warmup-steps exclude each other");
    }
  }

  private static long warmup(Optional<Double> epochs, Optional<Long> steps, long stepsPerEpoch) {
    return epochs.map(amount -> Math.round(amount * stepsPerEpoch)).orElse(steps.orElse(0L));
  }
}
