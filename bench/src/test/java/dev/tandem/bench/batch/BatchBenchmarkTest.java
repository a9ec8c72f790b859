package dev.tandem.bench.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.bench.Spread;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchBenchmarkTest {

  @Test
  void theLargestWorthwhileBatchOfThePublishedTableIs2048() {
    int[] epochs = {104, 103, 103, 104, 104, 117, 144, 1198, 1483};
    List<BatchRow> rows = new ArrayList<>();
    for (int i = 0; i < epochs.length; i++) {
      rows.add(row(32 << i, true, epochs[i]));
    }
    rows.add(row(16_384, false, 2000));
    List<BatchRow> judged = BatchBenchmark.judged(rows);
    assertEquals(2048, BatchBenchmark.largestWorthwhile(judged).orElseThrow().batch());
    assertTrue(judged.get(6).worthwhile());
    assertFalse(judged.get(7).worthwhile());
    assertFalse(judged.get(8).worthwhile(), "what comes behind one that is not is not either");
  }

  @Test
  void nothingIsWorthwhileThatDoesNotConverge() {
    List<BatchRow> rows = List.of(row(32, false, 20), row(64, true, 10));
    assertEquals(Optional.empty(), BatchBenchmark.largestWorthwhile(BatchBenchmark.judged(rows)));
  }

  @Test
  void aBatchGrowsAsFarAsAnEpochKeepsItsSteps() {
    assertEquals(512, BatchBenchmark.growing(60_000).largest());
    assertEquals(128, BatchBenchmark.growing(8_000).largest());
    assertEquals(32, BatchBenchmark.growing(10).largest());
  }

  @Test
  void trialsAreComparedByTheirSeeds() {
    List<BatchRow> rows =
        List.of(
            trial("fixed", 32, 1, true, 4, 100, 20),
            trial("fixed", 64, 1, true, 4, 50, 15),
            trial("grow", 32, 1, true, 5, 50, 10),
            trial("grow", 32, 2, true, 3, 32, 8),
            trial("fixed", 32, 2, true, 6, 128, 40),
            trial("grow", 32, 3, false, 9, 90, 90),
            trial("fixed", 32, 3, true, 6, 150, 40));
    BatchComparison comparison = BatchComparison.of(rows).orElseThrow();
    assertEquals(32, comparison.batch());
    assertEquals(2, comparison.pairs());
    assertEquals(3, comparison.tried());
    assertEquals(new Spread(0.35, 0.2, 0.5), comparison.time());
    assertEquals(new Spread(0.875, 0.5, 1.25), comparison.epochs());
    assertEquals(new Spread(0.375, 0.25, 0.5), comparison.steps());
  }

  @Test
  void withoutAPairThatReachedTheTargetNothingIsCompared() {
    List<BatchRow> rows =
        List.of(trial("fixed", 32, 1, true, 4, 100, 20), trial("grow", 32, 1, false, 9, 90, 90));
    assertEquals(Optional.empty(), BatchComparison.of(rows));
  }

  @Test
  void missingDataAreNamed(@TempDir Path folder) {
    WorkFailedException failure =
        assertThrows(
            WorkFailedException.class,
            () ->
                new BatchBenchmark(
                        BatchBenchmark.Effort.QUICK, folder.resolve("none"), 1, Progress.SILENT)
                    .run(_ -> {}));
    assertTrue(failure.getMessage().contains("dataset-fashion-mnist"), failure.getMessage());
  }

  private static BatchRow trial(
      String policy,
      int batch,
      long seed,
      boolean reached,
      double epochs,
      long steps,
      double time) {
    return new BatchRow(
        policy, batch, batch, "sgd", 50_000, seed, 0.85, reached, epochs, steps, time, 0.85, false,
        "");
  }

  private static BatchRow row(int batch, boolean reached, int epochs) {
    return new BatchRow(
        "fixed", batch, batch, "sgd", 50_000, 83, 0.85, reached, epochs, 1, 1, 0.85, false, "");
  }
}
