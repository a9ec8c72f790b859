package dev.tandem.tune.sample.gp;

/** The root of a symmetric positive matrix, its inverse and the logarithm of its determinant. */
final class Cholesky {

  private final double[][] root;

  /** Of the lower triangle of a matrix, which becomes the root. */
  Cholesky(double[][] matrix) {
    root = matrix;
    int n = matrix.length;
    for (int i = 0; i < n; i++) {
      double[] row = root[i];
      for (int j = 0; j <= i; j++) {
        double[] other = root[j];
        double sum = row[j];
        for (int k = 0; k < j; k++) {
          sum -= row[k] * other[k];
        }
        // Rounding may take a tiny diagonal element below nothing.
        row[j] = i == j ? Math.sqrt(Math.max(sum, 1e-14)) : sum / other[j];
      }
    }
  }

  double logDeterminant() {
    double sum = 0;
    for (int i = 0; i < root.length; i++) {
      sum += 2 * Math.log(root[i][i]);
    }
    return sum;
  }

  /** The solution of a system of equations. */
  double[] solve(double[] right) {
    int n = root.length;
    double[] solution = right.clone();
    for (int i = 0; i < n; i++) {
      double sum = solution[i];
      for (int k = 0; k < i; k++) {
        sum -= root[i][k] * solution[k];
      }
      solution[i] = sum / root[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
      solution[i] /= root[i][i];
      for (int k = 0; k < i; k++) {
        solution[k] -= root[i][k] * solution[i];
      }
    }
    return solution;
  }

  /** The inverse, in full. */
  double[][] inverse() {
    int n = root.length;
    double[][] inverse = new double[n][];
    for (int i = 0; i < n; i++) {
      double[] unit = new double[n];
      unit[i] = 1;
      inverse[i] = solve(unit);
    }
    return inverse;
  }
}
