package dev.tandem.data.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.read.IndexedLmdbSource;
import dev.tandem.data.read.mode.BatchPlan;
import dev.tandem.lmdb.write.BulkWriter;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.testkit.TestSeed;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseStageTest {

  private static final int RECORDS = 500;

  @TempDir Path folder;

  @Test
  void aStagedCopyHasTheRecordsOfItsRankAndRefusesOthers() {
    SplittableRandom random = TestSeed.of(DatabaseStageTest.class).random();
    Path original = folder.resolve("original");
    WriterOptions options = WriterOptions.DEFAULT.withSync(false);
    try (BulkWriter writer = BulkWriter.open(original, options, 100)) {
      for (int i = 0; i < RECORDS; i++) {
        byte[] value = new byte[random.nextInt(9000)];
        random.nextBytes(value);
        writer.put("%05d".formatted(i).getBytes(StandardCharsets.US_ASCII), value);
      }
    }
    BatchPlan plan =
        DatabaseStage.plan(original, 32, 4, BatchPlan.Access.SHUFFLED, new Seed(random.nextLong()));
    Path copy = folder.resolve("copy");
    DatabaseStage.Result result =
        new DatabaseStage(original, copy, Progress.SILENT).stage(plan, 1, 2, 6);
    assertEquals(4 * 8, result.records());
    assertTrue(result.bytes() < result.fileBytes() / 2, result.toString());

    Set<Long> staged = new HashSet<>();
    for (long step = 2; step < 6; step++) {
      for (int i = 0; i < plan.count(1); i++) {
        staged.add(plan.ordinal(step * plan.batch() + plan.first(1) + i));
      }
    }
    try (IndexedLmdbSource expected = IndexedLmdbSource.open(original);
        IndexedLmdbSource actual = IndexedLmdbSource.open(copy)) {
      for (long ordinal = 0; ordinal < RECORDS; ordinal++) {
        long asked = ordinal;
        if (staged.contains(ordinal)) {
          DataRecord record = actual.record(ordinal);
          assertEquals(-1, expected.record(ordinal).value().mismatch(record.value()));
          assertEquals(-1, expected.record(ordinal).key().mismatch(record.key()));
        } else {
          assertThrows(WorkFailedException.class, () -> actual.record(asked));
        }
      }
    }
  }
}
