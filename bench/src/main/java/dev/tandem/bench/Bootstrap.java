package dev.tandem.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/**
 * What the median of a few measurements, or another statistic of them, can be relied on for.
 *
 * @param median of the measurements, or the other statistic
 * @param low below it the median of a repetition would be with a chance of 2.5%
 * @param high above it likewise
 */
public record Bootstrap(double median, double low, double high) {

  private static final int DRAWS = 2_000;
  private static final double TAIL = 0.025;

  /** Of the median. */
  public static Bootstrap of(List<Double> values) {
    return of(values, drawn -> median(drawn.stream().mapToDouble(Double::doubleValue).toArray()));
  }

  /** Of any statistic: draws again and again from the measurements, always in the same way. */
  public static <T> Bootstrap of(List<T> measured, ToDoubleFunction<List<T>> statistic) {
    SplittableRandom random = new SplittableRandom(1);
    double[] drawn = new double[DRAWS];
    for (int draw = 0; draw < DRAWS; draw++) {
      List<T> sample = new ArrayList<>();
      for (int i = 0; i < measured.size(); i++) {
        sample.add(measured.get(random.nextInt(measured.size())));
      }
      drawn[draw] = statistic.applyAsDouble(sample);
    }
    Arrays.sort(drawn);
    return new Bootstrap(
        statistic.applyAsDouble(measured),
        drawn[(int) (TAIL * DRAWS)],
        drawn[(int) Math.ceil((1 - TAIL) * DRAWS) - 1]);
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    int middle = values.length / 2;
    return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
}
