package dev.tandem.tune.sample.gp;

import dev.tandem.tune.sample.Gaussian;

/**
 * The logarithm of {@code h(z) = phi(z) + z Phi(z)}, the improvement expected of a standard normal
 * variable, without underflow (Ament and others 2023).
 */
final class LogEi {

  private static final double LOG_ROOT_OF_2_PI = Math.log(2 * Math.PI) / 2;

  private LogEi() {}

  static double logH(double z) {
    if (z > -1) {
      return Math.log(Gaussian.density(z) + z * Gaussian.below(z));
    }
    double tail = -z * z / 2 - LOG_ROOT_OF_2_PI;
    if (z < -1e5) {
      return tail - 2 * Math.log(-z);
    }
    return tail + Math.log1p(-Gaussian.erfcx(-z / Math.sqrt(2)) * -z * Math.sqrt(Math.PI / 2));
  }

  /** {@code Phi(z)/h(z)}, the derivative of the logarithm. */
  static double belowOverH(double z, double logH) {
    if (z > -1) {
      return Gaussian.below(z) / Math.exp(logH);
    }
    double logBelow = Math.log(Gaussian.erfcx(-z / Math.sqrt(2)) / 2) - z * z / 2;
    return Math.exp(logBelow - logH);
  }

  /** {@code phi(z)/h(z)}. */
  static double densityOverH(double z, double logH) {
    return Math.exp(-z * z / 2 - LOG_ROOT_OF_2_PI - logH);
  }
}
