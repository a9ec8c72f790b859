package dev.tandem.bench;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What the median of a few measurements can be relied on for.
 *
 * @param median of the measurements
 * @param low below it the median of a repetition would be with a chance of 2.5%
 * @param high above it likewise
 */
public record Bootstrap(double median, double low, double high) {

  private static final int DRAWS = 2_000;
  private static final double TAIL = 0.025;

  /** Draws again and again from the values, always in the same way. */
  public static Bootstrap of(List<Double> values) {
    SplittableRandom random = new SplittableRandom(1);
    double[] medians = new double[DRAWS];
    for (int draw = 0; draw < DRAWS; draw++) {
      double[] sample = new double[values.size()];
      Arrays.setAll(sample, i -> values.get(random.nextInt(values.size())));
      medians[draw] = median(sample);
    }
    Arrays.sort(medians);
    double[] all = values.stream().mapToDouble(Double::doubleValue).toArray();
    return new Bootstrap(
        median(all),
        medians[(int) (TAIL * DRAWS)],
        medians[(int) Math.ceil((1 - TAIL) * DRAWS) - 1]);
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    int middle = values.length / 2;
    return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
}
