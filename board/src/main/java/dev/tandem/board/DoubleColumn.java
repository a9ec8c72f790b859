package dev.tandem.board;

import java.util.Arrays;

/** A growing row of numbers. One thread. */
final class DoubleColumn {

  private double[] values = new double[64];
  private int size;

  void add(double value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  int size() {
    return size;
  }

  double at(int index) {
    return values[index];
  }

  /** The mean of those that are numbers, from one index to before another. */
  double mean(int from, int end) {
    return Arrays.stream(values, from, end).filter(Double::isFinite).average().orElse(Double.NaN);
  }

  /** The sum of those that are numbers; not a number if none is. */
  double sum(int from, int end) {
    boolean any = Arrays.stream(values, from, end).anyMatch(Double::isFinite);
    return any ? Arrays.stream(values, from, end).filter(Double::isFinite).sum() : Double.NaN;
  }

  /** The largest of those that are numbers. */
  double max(int from, int end) {
    return Arrays.stream(values, from, end).filter(Double::isFinite).max().orElse(Double.NaN);
  }
}
