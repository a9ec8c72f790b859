package dev.tandem.bench.oracle;

import dev.tandem.oracle.published.Score;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * How well iteration times were projected, in percent; the accuracy of one is {@code 1 - |projected
 * - measured| / measured}.
 *
 * @param overall mean over all
 * @param rankingRight pairs of ways to make the same step whose times differ by more than 10% and
 *     are in the projected order
 * @param coverage measured times that lie in the band of the projection
 */
public record OracleScore(
    double overall, Map<String, Double> perStrategy, double rankingRight, double coverage) {

  static OracleScore of(
      List<OracleRow> rows,
      ToDoubleFunction<OracleRow> accuracy,
      ToDoubleFunction<OracleRow> projected) {
    Map<String, Double> perStrategy = new LinkedHashMap<>();
    for (OracleRow row : rows) {
      perStrategy.computeIfAbsent(
          row.strategy(),
          strategy ->
              mean(
                  rows.stream()
                      .filter(each -> each.strategy().equals(strategy))
                      .map(accuracy::applyAsDouble)
                      .toList()));
    }
    int pairs = 0;
    int right = 0;
    for (OracleRow one : rows) {
      for (OracleRow other : rows) {
        if (one.measured() < other.measured() && one.comparable(other)) {
          pairs++;
          right += projected.applyAsDouble(one) < projected.applyAsDouble(other) ? 1 : 0;
        }
      }
    }
    return new OracleScore(
        mean(rows.stream().map(accuracy::applyAsDouble).toList()),
        perStrategy,
        pairs == 0 ? 100 : 100.0 * right / pairs,
        mean(rows.stream().map(row -> row.covered() ? 100.0 : 0.0).toList()));
  }

  /** Of published measurements. */
  static OracleScore of(Score score) {
    return new OracleScore(
        score.overall(), score.perStrategy(), score.rankingRight(), score.coverage());
  }

  /** Figure by figure. */
  static OracleScore mean(OracleScore one, OracleScore other) {
    Map<String, Double> perStrategy = new LinkedHashMap<>(one.perStrategy);
    other.perStrategy.forEach(
        (strategy, accuracy) -> perStrategy.merge(strategy, accuracy, (a, b) -> (a + b) / 2));
    return new OracleScore(
        (one.overall + other.overall) / 2,
        perStrategy,
        (one.rankingRight + other.rankingRight) / 2,
        (one.coverage + other.coverage) / 2);
  }

  private static double mean(Collection<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElse(0);
  }
}
