package dev.tandem.tune.sample.gp;

import java.util.Arrays;

/**
 * The most probable scales of a Gaussian process: the logarithms of the weights of the dimensions,
 * of the variance and of the noise, given points, values and what is likely beforehand.
 */
final class GpFit {

  private static final double LEAST_NOISE = 1e-6;
  private static final int ITERATIONS = 100;

  private final Matern matern;
  private final double[][] points;
  private final double[] values;

  GpFit(Matern matern, double[][] points, double[] values) {
    this.matern = matern;
    this.points = points;
    this.values = values;
  }

  /** Fits, always from the same beginning. */
  Gp fit() {
    int d = matern.dimensions();
    double[] low = new double[d + 2];
    double[] high = new double[d + 2];
    Arrays.fill(low, -9);
    Arrays.fill(high, 9);
    low[d + 1] = Math.log(LEAST_NOISE);
    high[d + 1] = 0;
    double[] begin = new double[d + 2];
    begin[d + 1] = Math.log(1e-2);
    double[] found = new BoundedLbfgs(low, high, ITERATIONS).minimize(this::loss, begin);
    return gp(found);
  }

  private Gp gp(double[] logarithms) {
    int d = matern.dimensions();
    double[] weights = new double[d];
    Arrays.setAll(weights, i -> Math.exp(logarithms[i]));
    return new Gp(
        matern, points, values, weights, Math.exp(logarithms[d]), Math.exp(logarithms[d + 1]));
  }

  /** Minus the logarithm of the probability, without what is constant; writes the gradient. */
  double loss(double[] logarithms, double[] gradient) {
    int d = matern.dimensions();
    int n = points.length;
    double[] weights = new double[d];
    Arrays.setAll(weights, i -> Math.exp(logarithms[i]));
    double variance = Math.exp(logarithms[d]);
    double noise = Math.exp(logarithms[d + 1]);
    double[][] matrix = new double[n][n];
    double[][] distances = new double[n][n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        distances[i][j] = matern.distance(points[i], points[j], weights);
        matrix[i][j] = variance * Matern.value(distances[i][j]);
      }
      matrix[i][i] = variance + noise;
    }
    Cholesky root = new Cholesky(matrix);
    double[] solved = root.solve(values);
    double[][] inverse = root.inverse();
    double loss = root.logDeterminant() / 2;
    for (int i = 0; i < n; i++) {
      loss += values[i] * solved[i] / 2;
    }
    Arrays.fill(gradient, 0);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        // Twice the half of the trace for each pair of equal elements.
        double share = (inverse[i][j] - solved[i] * solved[j]) * (i == j ? 0.5 : 1);
        gradient[d] += share * variance * Matern.value(distances[i][j]);
        if (i == j) {
          gradient[d + 1] += share * noise;
          continue;
        }
        double slope = share * variance * Matern.slope(distances[i][j]) * 5;
        for (int k = 0; k < d; k++) {
          gradient[k] += slope * weights[k] * matern.square(k, points[i][k], points[j][k]);
        }
      }
    }
    return loss + prior(weights, variance, noise, gradient);
  }

  /** Minus the logarithm of what is likely beforehand; adds to the gradient. */
  private static double prior(double[] weights, double variance, double noise, double[] gradient) {
    int d = weights.length;
    double loss = variance - Math.log(variance) + 30 * noise - 0.1 * Math.log(noise);
    gradient[d] += variance - 1;
    gradient[d + 1] += 30 * noise - 0.1;
    for (int k = 0; k < d; k++) {
      loss += 0.1 / weights[k] + 0.1 * weights[k];
      gradient[k] += 0.1 * weights[k] - 0.1 / weights[k];
    }
    return loss;
  }
}
