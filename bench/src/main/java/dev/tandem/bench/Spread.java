package dev.tandem.bench;

import java.util.List;

/** Median, least and most of several rounds. */
public record Spread(double median, double least, double most) {

  /** Nothing was compared. */
  static final Spread NONE = new Spread(0, 0, 0);

  /** Of at least one value. */
  public static Spread of(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    double median =
        sorted.size() % 2 == 1
            ? sorted.get(middle)
            : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    return new Spread(median, sorted.getFirst(), sorted.getLast());
  }
}
