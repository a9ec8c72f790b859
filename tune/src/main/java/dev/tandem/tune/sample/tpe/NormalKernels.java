package dev.tandem.tune.sample.tpe;

import dev.tandem.tune.sample.Gaussian;
import java.util.SplittableRandom;

/** Normal distributions truncated to the range. */
final class NormalKernels implements Kernels {

  /** Beyond so many deviations from its middle a normal distribution has no mass in doubles. */
  private static final double NOTHING_BEYOND = 8.5;

  private final double low;
  private final double high;
  private final double[] means;
  private final double[] deviations;
  private final double[] inverses;
  private final boolean equalMass;

  NormalKernels(double low, double high, double[] means, double[] deviations, boolean equalMass) {
    this.low = low;
    this.high = high;
    this.means = means;
    this.deviations = deviations;
    this.equalMass = equalMass;
    inverses = new double[means.length];
    for (int i = 0; i < means.length; i++) {
      inverses[i] = 1 / deviations[i];
    }
  }

  @Override
  public void scale(double[] coefficients) {
    for (int i = 0; i < means.length; i++) {
      coefficients[i] *= Gaussian.density(0) / mass(low, high, means[i], inverses[i]);
      if (equalMass) {
        coefficients[i] *= inverses[i];
      }
    }
  }

  /** The part of a normal distribution that lies in the range. */
  static double mass(double low, double high, double mean, double inverseDeviation) {
    double down = (mean - low) * inverseDeviation;
    double up = (high - mean) * inverseDeviation;
    if (down > NOTHING_BEYOND) {
      return up > NOTHING_BEYOND ? 1 : Gaussian.below(up);
    }
    return up > NOTHING_BEYOND ? Gaussian.below(down) : Gaussian.between(-down, up);
  }

  @Override
  public void multiply(double point, double[] factors, double[] exponents) {
    for (int i = 0; i < means.length; i++) {
      double z = (point - means[i]) * inverses[i];
      exponents[i] += z * z;
    }
  }

  @Override
  public double draw(int kernel, SplittableRandom random) {
    return draw(low, high, means[kernel], deviations[kernel], random);
  }

  /** At least a third of the normal numbers lie in the range, which holds the mean. */
  static double draw(
      double low, double high, double mean, double deviation, SplittableRandom random) {
    double drawn;
    do {
      drawn = mean + deviation * random.nextGaussian();
    } while (!(drawn >= low && drawn <= high));
    return drawn;
  }
}
