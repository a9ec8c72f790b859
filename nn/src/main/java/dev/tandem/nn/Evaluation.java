package dev.tandem.nn;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How well a network did on some samples; evaluations of parts add up to that of the whole.
 *
 * @param correct samples whose highest score was that of their label; 0 if targets are values
 * @param lossSum sum of the samples' losses
 * @param targets one for each output if targets are values, else empty
 */
public record Evaluation(long samples, long correct, double lossSum, List<TargetSums> targets) {

  /** The evaluation of no samples. */
  public static final Evaluation NONE = new Evaluation(0, 0, 0, List.of());

  public Evaluation {
    targets = List.copyOf(targets);
  }

  public Evaluation plus(Evaluation other) {
    return new Evaluation(
        samples + other.samples,
        correct + other.correct,
        lossSum + other.lossSum,
        plus(targets, other.targets));
  }

  private static List<TargetSums> plus(List<TargetSums> one, List<TargetSums> other) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isEmpty() ? other : one;
    }
    List<TargetSums> sums = new ArrayList<>();
    for (int i = 0; i < one.size(); i++) {
      sums.add(one.get(i).plus(other.get(i)));
    }
    return sums;
  }

  /**
   * The same where errors are counted in other units; losses stay.
   *
   * @param units one for each output, or one for all
   */
  public Evaluation scaled(List<Double> units) {
    List<TargetSums> scaled = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      scaled.add(targets.get(i).scaled(units.get(units.size() == 1 ? 0 : i)));
    }
    return new Evaluation(samples, correct, lossSum, scaled);
  }

  /** Whether targets are values, so that there are errors instead of an accuracy. */
  public boolean regression() {
    return !targets.isEmpty();
  }

  /** Share of samples that were right, between 0 and 1. */
  public double accuracy() {
    return (double) correct / samples;
  }

  public double meanLoss() {
    return lossSum / samples;
  }

  /** The mean over samples and outputs of the squared differences. */
  public double meanSquaredError() {
    return mean(TargetSums::squared) / samples;
  }

  /** The mean over samples and outputs of the absolute differences. */
  public double meanAbsoluteError() {
    return mean(TargetSums::absolute) / samples;
  }

  /** R2, the explained share of the targets' variance: the mean of that of each output. */
  public double explainedVariance() {
    return mean(sums -> sums.explained(samples));
  }

  private double mean(ToDoubleFunction<TargetSums> what) {
    return targets.stream().mapToDouble(what).average().orElse(Double.NaN);
  }
}
