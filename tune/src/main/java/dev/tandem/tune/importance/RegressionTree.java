package dev.tandem.tune.importance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * A regression tree grown until its leaves hold one value each: a function that is constant on
 * boxes. Coordinates are from 0 to 1, or the index of a choice.
 */
final class RegressionTree {

  private static final int DEEPEST = 64;

  /**
   * A box and the value there.
   *
   * @param low ends of ranges
   * @param high ends of ranges
   * @param choices that are in the box; null for a range
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Leaf(double[] low, double[] high, BitSet[] choices, double value) {

    /** The share of a dimension that the box has. */
    double share(int dimension, int[] counts) {
      return counts[dimension] > 0
          ? choices[dimension].cardinality() / (double) counts[dimension]
          : high[dimension] - low[dimension];
    }
  }

  private final double[][] points;
  private final double[] values;
  private final int[] counts;
  private final List<Leaf> leaves = new ArrayList<>();

  /**
   * Grows a tree.
   *
   * @param counts how many choices each dimension has; 0 for a range
   * @param sample which of the points count, some perhaps more than once
   */
  RegressionTree(double[][] points, double[] values, int[] counts, int[] sample) {
    this.points = points;
    this.values = values;
    this.counts = counts;
    double[] high = new double[counts.length];
    Arrays.fill(high, 1);
    BitSet[] choices = new BitSet[counts.length];
    for (int d = 0; d < counts.length; d++) {
      if (counts[d] > 0) {
        choices[d] = new BitSet();
        choices[d].set(0, counts[d]);
      }
    }
    grow(sample, new Leaf(new double[counts.length], high, choices, 0), 0);
  }

  List<Leaf> leaves() {
    return leaves;
  }

  /**
   * How to divide a box: a range at a place, or one choice from the others.
   *
   * @param gain the larger, the smaller the squares that are left
   */
  private record Split(int dimension, double at, double gain) {}

  private void grow(int[] sample, Leaf box, int depth) {
    Split best = depth < DEEPEST ? best(sample) : null;
    if (best == null) {
      double mean = Arrays.stream(sample).mapToDouble(i -> values[i]).average().orElse(0);
      leaves.add(new Leaf(box.low, box.high, box.choices, mean));
      return;
    }
    int d = best.dimension;
    int[] left = Arrays.stream(sample).filter(i -> isLeft(best, points[i])).toArray();
    int[] right = Arrays.stream(sample).filter(i -> !isLeft(best, points[i])).toArray();
    if (counts[d] == 0) {
      double[] high = box.high.clone();
      double[] low = box.low.clone();
      high[d] = best.at;
      low[d] = best.at;
      grow(left, new Leaf(box.low, high, box.choices, 0), depth + 1);
      grow(right, new Leaf(low, box.high, box.choices, 0), depth + 1);
    } else {
      BitSet one = new BitSet();
      one.set((int) best.at);
      BitSet others = (BitSet) box.choices[d].clone();
      others.clear((int) best.at);
      grow(left, new Leaf(box.low, box.high, with(box.choices, d, one), 0), depth + 1);
      grow(right, new Leaf(box.low, box.high, with(box.choices, d, others), 0), depth + 1);
    }
  }

  private static BitSet[] with(BitSet[] all, int dimension, BitSet other) {
    BitSet[] copy = all.clone();
    copy[dimension] = other;
    return copy;
  }

  private boolean isLeft(Split split, double[] point) {
    double place = point[split.dimension];
    return counts[split.dimension] == 0 ? place <= split.at : place == split.at;
  }

  /** The division that leaves the smallest squares; null if all values are the same. */
  private Split best(int[] sample) {
    double first = values[sample[0]];
    if (Arrays.stream(sample).allMatch(i -> values[i] == first)) {
      return null;
    }
    Split best = null;
    for (int d = 0; d < counts.length; d++) {
      Split found = counts[d] == 0 ? range(d, sample) : choice(d, sample);
      if (found != null && (best == null || found.gain > best.gain)) {
        best = found;
      }
    }
    return best;
  }

  private Split range(int d, int[] sample) {
    int[] order =
        Arrays.stream(sample)
            .boxed()
            .sorted(Comparator.comparingDouble(i -> points[i][d]))
            .mapToInt(Integer::intValue)
            .toArray();
    double sum = Arrays.stream(order).mapToDouble(i -> values[i]).sum();
    double left = 0;
    Split best = null;
    for (int n = 1; n < order.length; n++) {
      left += values[order[n - 1]];
      double before = points[order[n - 1]][d];
      double after = points[order[n]][d];
      double gain = gain(left, n, sum, order.length);
      if (before < after && (best == null || gain > best.gain)) {
        best = new Split(d, (before + after) / 2, gain);
      }
    }
    return best;
  }

  private Split choice(int d, int[] sample) {
    double[] sums = new double[counts[d]];
    int[] numbers = new int[counts[d]];
    double sum = 0;
    for (int i : sample) {
      sums[(int) points[i][d]] += values[i];
      numbers[(int) points[i][d]]++;
      sum += values[i];
    }
    Split best = null;
    for (int c = 0; c < counts[d]; c++) {
      if (numbers[c] > 0 && numbers[c] < sample.length) {
        double gain = gain(sums[c], numbers[c], sum, sample.length);
        if (best == null || gain > best.gain) {
          best = new Split(d, c, gain);
        }
      }
    }
    return best;
  }

  private static double gain(double left, int n, double sum, int all) {
    return left * left / n + (sum - left) * (sum - left) / (all - n);
  }
}
