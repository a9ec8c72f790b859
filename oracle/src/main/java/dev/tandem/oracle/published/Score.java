package dev.tandem.oracle.published;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How well measured times were projected, in percent. The accuracy of a configuration is {@code 1 -
 * |projected - measured| / measured}.
 *
 * @param overall mean over the strategies
 * @param perStrategy mean over the strategy's configurations
 * @param rankingRight pairs of configurations of the same network whose times differ by more than
 *     10% and are in the projected order
 * @param coverage configurations whose measured time lies in the band of the projection
 * @param configurations all of them
 */
public record Score(
    double overall,
    Map<String, Double> perStrategy,
    double rankingRight,
    double coverage,
    List<Row> configurations) {

  private static final double DIFFERENT = 1.1;

  /**
   * One configuration, times in seconds.
   *
   * @param place file and line of the measurement
   */
  public record Row(
      String place,
      Configuration configuration,
      double measured,
      double projected,
      double low,
      double high) {

    /** In percent; negative if the projection is more than twice the measured time. */
    public double accuracy() {
      return 100 * (1 - Math.abs(projected - measured) / measured);
    }

    boolean covered() {
      return low <= measured && measured <= high;
    }

    private boolean comparable(Row other) {
      return configuration.model().equals(other.configuration.model())
          && configuration.dataset().equals(other.configuration.dataset())
          && Math.max(measured, other.measured) > DIFFERENT * Math.min(measured, other.measured);
    }
  }

  public Score {
    configurations = List.copyOf(configurations);
  }

  /** The score of at least one projection. */
  static Score of(List<Row> rows) {
    Map<String, Double> perStrategy = new LinkedHashMap<>();
    for (CampaignStrategy strategy : CampaignStrategy.values()) {
      rows.stream()
          .filter(row -> row.configuration().strategy() == strategy)
          .mapToDouble(Row::accuracy)
          .average()
          .ifPresent(accuracy -> perStrategy.put(strategy.word(), accuracy));
    }
    return new Score(
        mean(perStrategy.values()),
        perStrategy,
        rankingRight(rows),
        mean(rows.stream().map(row -> row.covered() ? 100.0 : 0.0).toList()),
        rows);
  }

  private static double rankingRight(List<Row> rows) {
    List<Double> pairs = new ArrayList<>();
    for (Row one : rows) {
      for (Row other : rows) {
        if (one.measured < other.measured && one.comparable(other)) {
          pairs.add(one.projected < other.projected ? 100.0 : 0.0);
        }
      }
    }
    return pairs.isEmpty() ? 100 : mean(pairs);
  }

  private static double mean(Collection<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }
}
