package dev.tandem.ensemble.combine;

import java.util.Collections;
import java.util.List;

/**
 * The weighted mean.
 *
 * @param weights by member; they add up to 1
 */
public record Averaging(List<Double> weights) implements Combiner {

  public Averaging {
    weights = List.copyOf(weights);
  }

  /** The plain mean. */
  public static Averaging of(int members) {
    return new Averaging(Collections.nCopies(members, 1.0 / members));
  }

  /** Weights in these proportions, none of which is negative; all the same if all are 0. */
  static Averaging proportional(List<Double> parts) {
    double sum = parts.stream().mapToDouble(Double::doubleValue).sum();
    return sum > 0
        ? new Averaging(parts.stream().map(part -> part / sum).toList())
        : of(parts.size());
  }

  @Override
  public double[] combine(double[][] answers) {
    double[] mean = new double[answers[0].length];
    for (int member = 0; member < answers.length; member++) {
      double weight = weights.get(member);
      for (int i = 0; i < mean.length; i++) {
        mean[i] += weight * answers[member][i];
      }
    }
    return mean;
  }
}
