package dev.tandem.bench.batch;

import dev.tandem.bench.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The batch that grows beside the fixed one that it begins with, over pairs of trials with the same
 * seed, one right after the other.
 *
 * @param batch with which both begin
 * @param pairs trials of both that reached the target
 * @param tried pairs of trials
 * @param time of the growing batch to that of the fixed one
 * @param epochs likewise
 * @param steps likewise
 */
public record BatchComparison(
    int batch, int pairs, int tried, Spread time, Spread epochs, Spread steps) {

  /** From the rows; empty if there is no pair that reached the target. */
  public static Optional<BatchComparison> of(List<BatchRow> rows) {
    List<Double> time = new ArrayList<>();
    List<Double> epochs = new ArrayList<>();
    List<Double> steps = new ArrayList<>();
    List<BatchRow> grown =
        rows.stream().filter(row -> row.policy().equals(BatchPlan.GROW)).toList();
    for (BatchRow row : grown) {
      rows.stream()
          .filter(other -> other.policy().equals(BatchPlan.FIXED))
          .filter(other -> other.batch() == row.batch() && other.seed() == row.seed())
          .filter(other -> other.reached() && row.reached())
          .findFirst()
          .ifPresent(
              fixed -> {
                time.add(row.seconds() / fixed.seconds());
                epochs.add(row.epochs() / fixed.epochs());
                steps.add((double) row.steps() / fixed.steps());
              });
    }
    return time.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new BatchComparison(
                grown.getFirst().batch(),
                time.size(),
                grown.size(),
                Spread.of(time),
                Spread.of(epochs),
                Spread.of(steps)));
  }
}
