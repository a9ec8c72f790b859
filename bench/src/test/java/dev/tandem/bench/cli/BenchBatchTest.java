package dev.tandem.bench.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.bench.batch.BatchComparison;
import dev.tandem.bench.batch.BatchRow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That a growing batch pays. */
class BenchBatchTest {

  private static final Path FASHION = Path.of("/usr/share/datasets/fashion-mnist");

  @TempDir Path folder;

  /** In the median of the pairs, each of the same seed, one right after the other. */
  @Test
  @Tag("slow") // Trains for minutes.
  void aGrowingBatchReachesTheSameAccuracyInLessTimeThanTheFixedSmallOne() throws Exception {
    assumeTrue(Files.isDirectory(FASHION), "Debian's dataset-fashion-mnist is not installed");
    Path json = folder.resolve("batch.json");
    System.out.print(CommandRun.done("batch", "--quick", "--data", FASHION, "--json", json).out());
    List<BatchRow> rows =
        new ObjectMapper().readerForListOf(BatchRow.class).readValue(json.toFile());
    BatchComparison comparison = BatchComparison.of(rows).orElseThrow();
    assertEquals(comparison.tried(), comparison.pairs(), "all reached the target: " + rows);
    assertTrue(comparison.time().median() < 1, comparison.toString());
    assertTrue(comparison.steps().most() < 1, comparison.toString());
  }
}
