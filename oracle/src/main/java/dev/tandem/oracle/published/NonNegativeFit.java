package dev.tandem.oracle.published;

/**
 * Least squares whose unknowns must not be negative, by descent along one coordinate after the
 * other: few unknowns, and as many or more equations.
 */
final class NonNegativeFit {

  private static final int ROUNDS = 20_000;
  private static final double CLOSE = 1e-6;

  private final double[][] products;
  private final double[] right;

  /** For a number of unknowns. */
  NonNegativeFit(int unknowns) {
    products = new double[unknowns][unknowns];
    right = new double[unknowns];
  }

  /** Adds the equation that {@code factors} times the unknowns is {@code value}. */
  void add(double[] factors, double value, double weight) {
    for (int i = 0; i < right.length; i++) {
      for (int j = 0; j < right.length; j++) {
        products[i][j] += weight * factors[i] * factors[j];
      }
      right[i] += weight * factors[i] * value;
    }
  }

  /**
   * The unknowns.
   *
   * @param start where to begin; is not changed
   */
  double[] solve(double[] start) {
    double[] unknowns = start.clone();
    for (int round = 0; round < ROUNDS; round++) {
      double change = 0;
      for (int i = 0; i < unknowns.length; i++) {
        if (products[i][i] == 0) {
          continue;
        }
        double rest = right[i];
        for (int j = 0; j < unknowns.length; j++) {
          rest -= products[i][j] * unknowns[j];
        }
        double next = Math.max(0, unknowns[i] + rest / products[i][i]);
        change = Math.max(change, Math.abs(next - unknowns[i]) / (Math.abs(next) + 1e-9));
        unknowns[i] = next;
      }
      if (change < CLOSE) {
        break;
      }
    }
    return unknowns;
  }
}
