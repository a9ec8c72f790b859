package dev.tandem.tune.sample.cma;

/** The constants of CMA-ES for a number of dimensions and a size of generations (Hansen 2016). */
final class CmaRates {

  final int dimensions;
  final int size;
  final int parents;

  /** Of the ranks, the best first; those of the worse half are negative. */
  final double[] weights;

  final double weightSum;
  final double effective;
  final double rankOne;
  final double rankMany;
  final double pathWidth;
  final double damping;
  final double path;
  final double expectedLength;

  CmaRates(int dimensions, int size) {
    this.dimensions = dimensions;
    this.size = size;
    parents = size / 2;
    double d = dimensions;
    weights = new double[size];
    double[] sums = new double[2];
    double[] squares = new double[2];
    for (int i = 0; i < size; i++) {
      weights[i] = Math.log((size + 1) / 2.0) - Math.log(i + 1);
      int half = i < parents ? 0 : 1;
      sums[half] += weights[i];
      squares[half] += weights[i] * weights[i];
    }
    effective = sums[0] * sums[0] / squares[0];
    double effectiveWorse = sums[1] * sums[1] / squares[1];
    rankOne = 2 / ((d + 1.3) * (d + 1.3) + effective);
    rankMany =
        Math.min(
            1 - rankOne - 1e-8,
            2 * (effective - 2 + 1 / effective) / ((d + 2) * (d + 2) + effective));
    double worse =
        Math.min(
            Math.min(1 + rankOne / rankMany, 1 + 2 * effectiveWorse / (effective + 2)),
            (1 - rankOne - rankMany) / (d * rankMany));
    scale(worse);
    double sum = 0;
    for (double weight : weights) {
      sum += weight;
    }
    weightSum = sum;
    pathWidth = (effective + 2) / (d + effective + 5);
    damping = 1 + 2 * Math.max(0, Math.sqrt((effective - 1) / (d + 1)) - 1) + pathWidth;
    path = (4 + effective / d) / (d + 4 + 2 * effective / d);
    expectedLength = Math.sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d * d));
  }

  /** How many trials the first generation has. */
  static int usualSize(int dimensions) {
    return 4 + (int) Math.floor(3 * Math.log(dimensions));
  }

  private void scale(double worse) {
    double positive = 0;
    double negative = 0;
    for (double weight : weights) {
      positive += Math.max(0, weight);
      negative += Math.max(0, -weight);
    }
    for (int i = 0; i < size; i++) {
      weights[i] *= weights[i] >= 0 ? 1 / positive : worse / negative;
    }
  }
}
