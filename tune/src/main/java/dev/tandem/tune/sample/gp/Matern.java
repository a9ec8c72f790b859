package dev.tandem.tune.sample.gp;

/**
 * Matern's covariance of smoothness 5/2, with a scale of its own for each dimension; choices are
 * equal or not.
 */
final class Matern {

  private final boolean[] choice;

  /** A covariance, given which dimensions are choices. */
  Matern(boolean[] choice) {
    this.choice = choice.clone();
  }

  int dimensions() {
    return choice.length;
  }

  boolean choice(int dimension) {
    return choice[dimension];
  }

  /** The square of the difference of two coordinates. */
  double square(int dimension, double one, double other) {
    if (choice[dimension]) {
      return one == other ? 0 : 1;
    }
    return (one - other) * (one - other);
  }

  /** Five times the weighted square of the distance. */
  double distance(double[] one, double[] other, double[] weights) {
    double sum = 0;
    for (int d = 0; d < choice.length; d++) {
      sum += weights[d] * square(d, one[d], other[d]);
    }
    return 5 * sum;
  }

  /** The covariance at such a distance, for a variance of 1. */
  static double value(double distance) {
    double root = Math.sqrt(distance);
    return (1 + root + distance / 3) * Math.exp(-root);
  }

  /** Its derivative by the distance. */
  static double slope(double distance) {
    double root = Math.sqrt(distance);
    return -(1 + root) * Math.exp(-root) / 6;
  }
}
