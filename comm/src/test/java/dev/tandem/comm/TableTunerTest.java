package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.collective.AlgorithmTable;
import dev.tandem.core.UsageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TableTunerTest {

  private static final TableTuner QUICK = new TableTuner(256 << 10, Duration.ofMillis(2));

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void allRanksGetTheSameTable(TestJob.Kind kind) throws Exception {
    check(TestJob.run(kind, 3, QUICK::tune));
  }

  @Test
  void hostsAreTunedToo() throws Exception {
    List<AlgorithmTable> tables = TestJob.runOnHosts(List.of(0, 0, 1, 1), true, QUICK::tune);
    check(tables);
    assertTrue(tables.getFirst().text().contains("allreduce run hosts 4 *"));
  }

  private void check(List<AlgorithmTable> tables) throws Exception {
    for (AlgorithmTable table : tables) {
      assertEquals(tables.getFirst().text(), table.text());
    }
    Path file = folder.resolve("table");
    tables.getFirst().write(file);
    assertEquals(tables.getFirst().text(), AlgorithmTable.read(file).text());
  }

  @Test
  void oneRankHasNothingToChoose() {
    try (Communicator alone = Communicator.alone()) {
      assertThrows(UsageException.class, () -> QUICK.tune(alone));
    }
  }
}
