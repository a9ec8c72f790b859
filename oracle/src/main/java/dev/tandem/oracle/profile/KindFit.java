package dev.tandem.oracle.profile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What layers of a kind take by few constants: seconds = a + operations / rate + bytes / bandwidth.
 * None is negative. Fitted to relative errors, of which large ones count less. Besides, a layer
 * differs from the fit much as measured layers of about its size do. Immutable.
 */
final class KindFit {

  /**
   * What a pass has to do.
   *
   * @param operations of all samples
   * @param bytes that it reads and writes
   */
  record Work(double operations, double bytes) {

    private double[] features() {
      return new double[] {1, operations, bytes};
    }
  }

  /** A measurement. */
  record Point(Work work, double seconds) {}

  private static final int FEATURES = 3;
  private static final int ROUNDS = 12;

  /** Relative errors from which on they count less. */
  private static final double LARGE = 0.3;

  /** Layers within this factor of size, in powers of two, say much about each other. */
  private static final double NEAR = 1;

  /** Weight of the fit itself beside that of one neighbour of the same size. */
  private static final double OWN = 0.5;

  private final List<Point> points;
  private final double[] constants;
  private final double error;

  /** Of at least one measurement that took time. */
  KindFit(List<Point> measured) {
    points = measured.stream().filter(point -> point.seconds > 0).toList();
    constants = points.isEmpty() ? new double[FEATURES] : fit();
    error = points.isEmpty() ? 0 : typicalError();
  }

  /** Seconds of a pass. */
  double seconds(Work work) {
    return points.isEmpty() ? 0 : line(work) * Math.exp(deviation(work, -1));
  }

  /** Relative, of layers that were not measured. */
  double error() {
    return error;
  }

  private double line(Work work) {
    return dot(constants, work.features());
  }

  /** The logarithm of what layers of about this size take more than the line says. */
  private double deviation(Work work, int without) {
    double sum = 0;
    double weights = OWN;
    for (int i = 0; i < points.size(); i++) {
      if (i != without) {
        Point point = points.get(i);
        double far =
            Math.hypot(
                distance(work.operations, point.work.operations),
                distance(work.bytes, point.work.bytes));
        double weight = Math.exp(-far * far / (2 * NEAR * NEAR));
        weights += weight;
        sum += weight * Math.log(point.seconds / line(point.work));
      }
    }
    return sum / weights;
  }

  private static double distance(double one, double other) {
    return Math.log((one + 1) / (other + 1)) / Math.log(2);
  }

  /** The median error of each measurement by the others, as a standard deviation. */
  private double typicalError() {
    double[] errors = new double[points.size()];
    for (int i = 0; i < errors.length; i++) {
      Point point = points.get(i);
      double told = line(point.work) * Math.exp(deviation(point.work, i));
      errors[i] = Math.abs(told / point.seconds - 1);
    }
    Arrays.sort(errors);
    return 1.48 * errors[errors.length / 2];
  }

  private double[] fit() {
    double[] scale = new double[FEATURES];
    for (Point point : points) {
      double[] features = point.work.features();
      for (int i = 0; i < FEATURES; i++) {
        scale[i] = Math.max(scale[i], features[i]);
      }
    }
    List<double[]> rows = new ArrayList<>();
    for (Point point : points) {
      double[] row = point.work.features();
      for (int i = 0; i < FEATURES; i++) {
        row[i] = scale[i] == 0 ? 0 : row[i] / scale[i] / point.seconds;
      }
      rows.add(row);
    }
    double[] weights = new double[rows.size()];
    Arrays.fill(weights, 1);
    double[] found = new double[FEATURES];
    for (int round = 0; round < ROUNDS; round++) {
      found = nonNegative(rows, weights);
      for (int i = 0; i < weights.length; i++) {
        weights[i] = Math.min(1, LARGE / Math.max(1e-9, Math.abs(dot(found, rows.get(i)) - 1)));
      }
    }
    for (int i = 0; i < FEATURES; i++) {
      found[i] = scale[i] == 0 ? 0 : found[i] / scale[i];
    }
    return found;
  }

  /** Least squares of (row · x - 1): the best of all sets of constants that are not negative. */
  private static double[] nonNegative(List<double[]> rows, double[] weights) {
    double[] best = new double[FEATURES];
    double least = Double.POSITIVE_INFINITY;
    for (int set = 1; set < 1 << FEATURES; set++) {
      if (Integer.bitCount(set) <= rows.size()) {
        double[] found = solve(rows, weights, set);
        double error = 0;
        for (int i = 0; i < rows.size(); i++) {
          double off = dot(found, rows.get(i)) - 1;
          error += weights[i] * off * off;
        }
        boolean possible = Arrays.stream(found).allMatch(each -> each >= 0);
        if (possible && error < least) {
          least = error;
          best = found;
        }
      }
    }
    return best;
  }

  /** The normal equations of some of the constants; the others are 0. */
  private static double[] solve(List<double[]> rows, double[] weights, int set) {
    double[][] matrix = new double[FEATURES][FEATURES + 1];
    for (int r = 0; r < rows.size(); r++) {
      double[] row = rows.get(r);
      for (int i = 0; i < FEATURES; i++) {
        for (int j = 0; j < FEATURES; j++) {
          matrix[i][j] += has(set, i) && has(set, j) ? weights[r] * row[i] * row[j] : 0;
        }
        matrix[i][FEATURES] += has(set, i) ? weights[r] * row[i] : 0;
      }
    }
    for (int i = 0; i < FEATURES; i++) {
      // So that equations of equal features have a solution, too.
      matrix[i][i] = matrix[i][i] * (1 + 1e-9) + (has(set, i) && matrix[i][i] > 0 ? 0 : 1);
    }
    for (int i = 0; i < FEATURES; i++) {
      for (int j = 0; j < FEATURES; j++) {
        if (i != j) {
          double factor = matrix[j][i] / matrix[i][i];
          for (int k = i; k <= FEATURES; k++) {
            matrix[j][k] -= factor * matrix[i][k];
          }
        }
      }
    }
    double[] found = new double[FEATURES];
    for (int i = 0; i < FEATURES; i++) {
      found[i] = matrix[i][FEATURES] / matrix[i][i];
    }
    return found;
  }

  private static boolean has(int set, int feature) {
    return (set >> feature & 1) == 1;
  }

  private static double dot(double[] one, double[] other) {
    double sum = 0;
    for (int i = 0; i < one.length; i++) {
      sum += one[i] * other[i];
    }
    return sum;
  }
}
