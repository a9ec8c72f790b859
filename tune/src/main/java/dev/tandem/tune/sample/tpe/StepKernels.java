package dev.tandem.tune.sample.tpe;

import dev.tandem.tune.sample.Gaussian;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Truncated normal distributions over values with steps: each value has the mass around it. */
final class StepKernels implements Kernels {

  /** No mass is less, so that a logarithm exists. */
  private static final double LEAST = 1e-300;

  /** Beyond so many deviations a mass is nothing beside the prior's. */
  private static final double FAR = 9;

  private final double low;
  private final double high;
  private final double step;
  private final double[] means;
  private final double[] deviations;

  /** Masses by distance in steps, where all deviations but the prior's are the same. */
  private final double[] byDistance;

  StepKernels(
      double low,
      double high,
      double step,
      double[] means,
      double[] deviations,
      boolean sameDeviation) {
    this.low = low;
    this.high = high;
    this.step = step;
    this.means = means;
    this.deviations = deviations;
    double steps = Math.rint((high - low) / step);
    byDistance = new double[sameDeviation && steps <= 4096 ? (int) steps : 0];
    Arrays.fill(byDistance, Double.NaN);
  }

  @Override
  public void scale(double[] coefficients) {
    for (int i = 0; i < means.length; i++) {
      coefficients[i] /= NormalKernels.mass(low, high, means[i], 1 / deviations[i]);
    }
  }

  @Override
  public void multiply(double point, double[] factors, double[] exponents) {
    int last = means.length - 1;
    for (int i = 0; i < last; i++) {
      double distance = Math.abs(point - means[i]);
      if (byDistance.length == 0) {
        factors[i] *= mass(distance, deviations[i]);
        continue;
      }
      int steps = (int) Math.rint(distance / step);
      double known = byDistance[steps];
      if (Double.isNaN(known)) {
        known = mass(steps * step, deviations[i]);
        byDistance[steps] = known;
      }
      factors[i] *= known;
    }
    factors[last] *= mass(Math.abs(point - means[last]), deviations[last]);
  }

  private double mass(double distance, double deviation) {
    double from = (distance - step / 2) / deviation;
    return from > FAR
        ? LEAST
        : Math.max(LEAST, Gaussian.between(from, (distance + step / 2) / deviation));
  }

  @Override
  public double draw(int kernel, SplittableRandom random) {
    return NormalKernels.draw(low, high, means[kernel], deviations[kernel], random);
  }
}
