package dev.tandem.data.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rehearsal reads what one reader alone reads, in every mode. */
class ReadRehearsalTest {

  @TempDir Path folder;

  @Test
  void readersOfARehearsalReadTheSameAsOneAlone() {
    Path database = folder.resolve("db");
    Layout.COMMITTED.write(database, TestSeed.of(ReadRehearsalTest.class).random());
    for (String mode : ReadMode.CODES) {
      ReadRequest request =
          new ReadRequest(
              database,
              ModeSettings.DEFAULT.mode(mode),
              16,
              ReadRequest.EPOCH,
              BatchPlan.Access.STRIDED,
              new Seed(1),
              false);
      ReaderReport alone = ReadJob.run(request);
      List<ReaderReport> reports = ReadRehearsal.run(request, 2);
      assertEquals(List.of(0, 1), reports.stream().map(ReaderReport::reader).toList());
      assertEquals(
          alone.checksum(), reports.stream().mapToLong(ReaderReport::checksum).sum(), mode);
    }
  }
}
