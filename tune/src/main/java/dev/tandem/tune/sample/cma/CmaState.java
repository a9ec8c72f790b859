package dev.tandem.tune.sample.cma;

import java.util.Arrays;
import org.hipparchus.linear.EigenDecompositionSymmetric;
import org.hipparchus.linear.MatrixUtils;
import org.hipparchus.linear.RealMatrix;

/** The distribution of one generation after the other. */
final class CmaState {

  /** Eigenvalues are at least this. */
  private static final double LEAST = 1e-8;

  /** Ranges of values, relative widths and conditions at which a search has come to its end. */
  private static final double SAME = 1e-12;

  private static final double WORST_CONDITION = 1e14;
  private static final double WIDEST = 1e4;

  private final CmaRates rates;
  private final double firstWidth;
  private final double[] mean;
  private final double[] pathWidth;
  private final double[] path;
  private final double[] leastValues;
  private final double[] mostValues;
  private double[][] covariance;
  private double width;
  private int generation;

  /** Square roots of the eigenvalues, and the eigenvectors as columns. */
  private double[] lengths;

  private double[][] axes;

  CmaState(CmaRates rates, double[] mean, double width) {
    this.rates = rates;
    this.mean = mean.clone();
    this.width = width;
    firstWidth = width;
    int d = rates.dimensions;
    pathWidth = new double[d];
    path = new double[d];
    covariance = new double[d][d];
    for (int i = 0; i < d; i++) {
      covariance[i][i] = 1;
    }
    int remembered = 10 + (int) Math.ceil(30.0 * d / rates.size);
    leastValues = new double[remembered];
    mostValues = new double[remembered];
    decompose();
  }

  int size() {
    return rates.size;
  }

  double width() {
    return width;
  }

  double[] mean() {
    return mean.clone();
  }

  double[][] covariance() {
    return covariance;
  }

  private void decompose() {
    RealMatrix matrix = MatrixUtils.createRealMatrix(covariance);
    EigenDecompositionSymmetric parts = new EigenDecompositionSymmetric(matrix, 1e-12, false);
    axes = parts.getV().getData();
    lengths = parts.getEigenvalues();
    for (int i = 0; i < lengths.length; i++) {
      // As the published code has it: only what is below 0 is raised.
      lengths[i] = Math.sqrt(lengths[i] < 0 ? LEAST : lengths[i]);
    }
  }

  /** The point that standard normal numbers stand for. */
  double[] point(double[] normals) {
    int d = mean.length;
    double[] point = new double[d];
    for (int i = 0; i < d; i++) {
      double sum = 0;
      for (int j = 0; j < d; j++) {
        sum += axes[i][j] * lengths[j] * normals[j];
      }
      point[i] = mean[i] + width * sum;
    }
    return point;
  }

  /** The root of the inverse of the covariance, times a vector. */
  private double[] whiten(double[] vector) {
    int d = vector.length;
    double[] whitened = new double[d];
    for (int j = 0; j < d; j++) {
      double along = 0;
      for (int i = 0; i < d; i++) {
        along += axes[i][j] * vector[i];
      }
      along /= Math.max(lengths[j], Math.sqrt(Double.MIN_NORMAL));
      for (int i = 0; i < d; i++) {
        whitened[i] += axes[i][j] * along;
      }
    }
    return whitened;
  }

  private static double square(double[] vector) {
    double sum = 0;
    for (double each : vector) {
      sum += each * each;
    }
    return sum;
  }

  /**
   * Goes on to the next generation.
   *
   * @param points of this one, the best first
   */
  void next(double[][] points, double leastValue, double mostValue) {
    generation++;
    leastValues[generation % leastValues.length] = leastValue;
    mostValues[generation % mostValues.length] = mostValue;
    int d = mean.length;
    double[][] steps = new double[points.length][d];
    double[] step = new double[d];
    for (int k = 0; k < points.length; k++) {
      for (int i = 0; i < d; i++) {
        steps[k][i] = (points[k][i] - mean[i]) / width;
        if (k < rates.parents) {
          step[i] += rates.weights[k] * steps[k][i];
        }
      }
    }
    for (int i = 0; i < d; i++) {
      mean[i] += width * step[i];
    }
    double[] white = whiten(step);
    double forWidth = Math.sqrt(rates.pathWidth * (2 - rates.pathWidth) * rates.effective);
    for (int i = 0; i < d; i++) {
      pathWidth[i] = (1 - rates.pathWidth) * pathWidth[i] + forWidth * white[i];
    }
    double length = Math.sqrt(square(pathWidth));
    width *= Math.exp(rates.pathWidth / rates.damping * (length / rates.expectedLength - 1));
    double settled = Math.sqrt(1 - Math.pow(1 - rates.pathWidth, 2.0 * (generation + 1)));
    boolean slow = length / settled < (1.4 + 2.0 / (d + 1)) * rates.expectedLength;
    double forPath = slow ? Math.sqrt(rates.path * (2 - rates.path) * rates.effective) : 0;
    for (int i = 0; i < d; i++) {
      path[i] = (1 - rates.path) * path[i] + forPath * step[i];
    }
    adapt(steps, slow ? 0 : rates.path * (2 - rates.path));
    decompose();
  }

  private void adapt(double[][] steps, double lost) {
    int d = mean.length;
    double[] weights = rates.weights.clone();
    for (int k = 0; k < weights.length; k++) {
      if (weights[k] < 0) {
        weights[k] *= d / (square(whiten(steps[k])) + LEAST);
      }
    }
    double kept = 1 + rates.rankOne * lost - rates.rankOne - rates.rankMany * rates.weightSum;
    double[][] adapted = new double[d][d];
    for (int i = 0; i < d; i++) {
      for (int j = 0; j <= i; j++) {
        double many = 0;
        for (int k = 0; k < weights.length; k++) {
          many += weights[k] * steps[k][i] * steps[k][j];
        }
        adapted[i][j] =
            kept * covariance[i][j] + rates.rankOne * path[i] * path[j] + rates.rankMany * many;
        adapted[j][i] = adapted[i][j];
      }
    }
    covariance = adapted;
  }

  /** Whether nothing better can come of this search: another one should begin. */
  boolean ended() {
    double most = Arrays.stream(lengths).max().orElseThrow();
    double least = Arrays.stream(lengths).min().orElseThrow();
    boolean narrow = true;
    boolean still = false;
    for (int i = 0; i < mean.length; i++) {
      narrow &= width * covariance[i][i] < SAME * firstWidth && width * path[i] < SAME * firstWidth;
      still |= mean[i] == mean[i] + 0.2 * width * Math.sqrt(covariance[i][i]);
    }
    boolean flat =
        generation > leastValues.length
            && Arrays.stream(mostValues).max().orElseThrow()
                    - Arrays.stream(leastValues).min().orElseThrow()
                < SAME;
    return flat || narrow || still || width * most > WIDEST || most / least > WORST_CONDITION;
  }
}
