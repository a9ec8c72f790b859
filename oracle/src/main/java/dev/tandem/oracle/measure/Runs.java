package dev.tandem.oracle.measure;

import java.util.Arrays;

/**
 * What several runs of the same took, as one figure. Where ranks have cores of their own that is
 * the mean of the middle half: a run that something else interrupted says nothing. Where ranks take
 * turns on cores being interrupted is part of it, and it is the mean of all but the longest sixth.
 *
 * @param spread relative standard deviation, by the middle two thirds
 */
record Runs(double seconds, double spread) {

  /** One of so many runs is left out where ranks take turns. */
  private static final int LONGEST = 6;

  /** Of two rounds as one, since the machine's speed is not the same at all times. */
  static Runs both(Runs one, Runs other) {
    return new Runs((one.seconds + other.seconds) / 2, (one.spread + other.spread) / 2);
  }

  static Runs of(double[] runs, boolean shared) {
    double[] sorted = runs.clone();
    Arrays.sort(sorted);
    int count = sorted.length;
    int begin = shared ? 0 : count / 4;
    int end = shared ? count - count / LONGEST : count - begin;
    double mean = Arrays.stream(sorted, begin, end).average().orElse(0);
    double low = sorted[(int) Math.round((count - 1) * 0.16)];
    double high = sorted[(int) Math.round((count - 1) * 0.84)];
    return new Runs(mean, mean == 0 ? 0 : (high - low) / 2 / mean);
  }
}
