package dev.tandem.train.config;

import dev.tandem.nn.Schedule;
import dev.tandem.nn.WarmupCosine;
import dev.tandem.nn.WarmupSteps;
import java.util.List;

/**
 * The learning rate over a run.
 *
 * @param shape how it goes up and down
 * @param rate the highest
 * @param forBatch the global batch that the rate is meant for: with another batch the rate is
 *     scaled in proportion; 0 takes it as it is
 */
public record ScheduleConfig(Shape shape, double rate, int forBatch) {

  /** How the rate changes. */
  public sealed interface Shape {

    /** Not at all. */
    record Constant() implements Shape {}

    /** It climbs to the highest and then falls to zero along half a cosine. */
    record Cosine(Span warmup) implements Shape {}

    /**
     * It climbs to the highest and then falls by a factor now and then.
     *
     * @param start share of the highest rate with which the warm-up begins
     */
    record Falling(Span warmup, double start, List<Span> falls, double factor) implements Shape {

      public Falling {
        falls = List.copyOf(falls);
        Require.notNegative("schedule.warmup-start", start);
        Require.positive("schedule.factor", factor);
      }
    }
  }

  public ScheduleConfig {
    Require.positive("schedule.rate", rate);
    Require.atLeast("schedule.for-batch", 0, forBatch);
  }

  /** The rates of a run of so many steps, for the batch that the rate is meant for. */
  public Schedule over(long stepsPerEpoch, long steps) {
    return switch (shape) {
      case Shape.Constant() -> Schedule.constant(rate);
      case Shape.Cosine(Span warmup) ->
          new WarmupCosine(rate, Math.min(steps, warmup.inSteps(stepsPerEpoch)), steps);
      case Shape.Falling(Span warmup, double start, List<Span> falls, double factor) ->
          new WarmupSteps(
              rate * start,
              rate,
              warmup.inSteps(stepsPerEpoch),
              falls.stream().map(fall -> fall.inSteps(stepsPerEpoch)).toList(),
              factor);
    };
  }

  /** What the rate is multiplied with for this batch. */
  public double scale(int globalBatch) {
    return forBatch == 0 ? 1 : Schedule.linearlyScaled(1, forBatch, globalBatch);
  }
}
