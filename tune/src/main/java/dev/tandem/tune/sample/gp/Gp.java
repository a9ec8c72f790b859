package dev.tandem.tune.sample.gp;

import java.util.Arrays;

/** A Gaussian process with known scales: what it expects where. */
final class Gp {

  private final Matern matern;
  private final double[][] points;
  private final double[] values;
  private final double[] weights;
  private final double variance;
  private final double noise;
  private final double[] solved;
  private final double[][] inverse;

  Gp(
      Matern matern,
      double[][] points,
      double[] values,
      double[] weights,
      double variance,
      double noise) {
    this.matern = matern;
    this.points = points;
    this.values = values;
    this.weights = weights;
    this.variance = variance;
    this.noise = noise;
    int n = points.length;
    double[][] matrix = new double[n][n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        matrix[i][j] = variance * Matern.value(matern.distance(points[i], points[j], weights));
      }
      matrix[i][i] = variance + noise;
    }
    Cholesky root = new Cholesky(matrix);
    solved = root.solve(values);
    inverse = root.inverse();
  }

  double[] weights() {
    return weights.clone();
  }

  double least() {
    return Arrays.stream(values).min().orElseThrow();
  }

  /** The same with further points, whose values are what it expects there. */
  Gp believing(double[][] more) {
    int n = points.length;
    double[][] all = Arrays.copyOf(points, n + more.length);
    double[] expected = Arrays.copyOf(values, n + more.length);
    for (int i = 0; i < more.length; i++) {
      all[n + i] = more[i];
      expected[n + i] = mean(more[i]);
    }
    return new Gp(matern, all, expected, weights, variance, noise);
  }

  double mean(double[] at) {
    double sum = 0;
    for (int i = 0; i < points.length; i++) {
      sum += solved[i] * variance * Matern.value(matern.distance(at, points[i], weights));
    }
    return sum;
  }

  /**
   * The logarithm of the improvement that is expected over a value.
   *
   * @param gradient by the coordinates, written if it is not null
   */
  double logImprovement(double[] at, double best, double[] gradient) {
    int n = points.length;
    double[] covariances = new double[n];
    double[] distances = new double[n];
    double mean = 0;
    for (int i = 0; i < n; i++) {
      distances[i] = matern.distance(at, points[i], weights);
      covariances[i] = variance * Matern.value(distances[i]);
      mean += solved[i] * covariances[i];
    }
    double[] explained = new double[n];
    double known = 0;
    for (int i = 0; i < n; i++) {
      double[] row = inverse[i];
      double sum = 0;
      for (int j = 0; j < n; j++) {
        sum += row[j] * covariances[j];
      }
      explained[i] = sum;
      known += sum * covariances[i];
    }
    double deviation = Math.sqrt(Math.max(variance - known, 1e-12));
    double z = (best - mean) / deviation;
    double logH = LogEi.logH(z);
    if (gradient != null) {
      Arrays.fill(gradient, 0);
      double byMean = -LogEi.belowOverH(z, logH) / deviation;
      // The variance changes by minus twice what is explained.
      double byVariance = LogEi.densityOverH(z, logH) / (2 * deviation * deviation);
      for (int i = 0; i < n; i++) {
        double share = byMean * solved[i] - 2 * byVariance * explained[i];
        double slope = share * variance * Matern.slope(distances[i]) * 10;
        for (int d = 0; d < gradient.length; d++) {
          if (!matern.choice(d)) {
            gradient[d] += slope * weights[d] * (at[d] - points[i][d]);
          }
        }
      }
    }
    return Math.log(deviation) + logH;
  }
}
