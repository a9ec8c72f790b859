package dev.tandem.comm.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AlgorithmTableTest {

  private static final TeamPosition MESSAGES = new TeamPosition(0, 4, false);
  private static final TeamPosition SHARED = new TeamPosition(0, 4, true);
  private static final TeamPosition HOSTS = new TeamPosition(0, Layout.of(0, 0, 1, 1), true);

  @TempDir Path folder;

  @Test
  void theFirstRowThatFitsDecidesAndElseTheBuiltInTable() throws Exception {
    Path file = folder.resolve("table");
    Files.writeString(
        file,
        """
        # made by hand
        allreduce fast messages 4 100 tree   # up to and including 100 bytes

        allreduce fast messages 4 * doubling
        allreduce run hosts * * direct
        """);
    AlgorithmTable table = AlgorithmTable.read(file);
    assertEquals(AllreduceAlgorithm.TREE, table.allreduce(Determinism.FAST, MESSAGES, 100));
    assertEquals(AllreduceAlgorithm.DOUBLING, table.allreduce(Determinism.FAST, MESSAGES, 101));
    assertEquals(AllreduceAlgorithm.DIRECT, table.allreduce(Determinism.RUN, HOSTS, 4));
    assertEquals(
        AllreduceAlgorithm.HIERARCHICAL, table.allreduce(Determinism.FAST, HOSTS, 1 << 20));
    assertEquals(AllreduceAlgorithm.FLAT, table.allreduce(Determinism.RUN, SHARED, 1 << 20));
    TeamPosition five = new TeamPosition(0, 5, false);
    assertEquals(AllreduceAlgorithm.RING, table.allreduce(Determinism.FAST, five, 1 << 20));

    Path copy = folder.resolve("copy");
    table.write(copy);
    assertEquals(table.text(), AlgorithmTable.read(copy).text());
    assertEquals(table.fingerprint(), AlgorithmTable.read(copy).fingerprint());
  }

  @Test
  void theBuiltInTableHasAnAnswerForEverything() {
    for (Determinism level : Determinism.values()) {
      for (TeamPosition position :
          List.of(MESSAGES, SHARED, HOSTS, new TeamPosition(7, 1000, false))) {
        for (long bytes : new long[] {0, 1, 1 << 10, 1 << 20, 1L << 40}) {
          AllreduceAlgorithm algorithm = AlgorithmTable.BUILT_IN.allreduce(level, position, bytes);
          assertEquals(true, algorithm.keeps(level) && algorithm.appliesTo(position));
        }
      }
    }
  }

  @Test
  void malformedTablesAreRefusedInOneLine() {
    assertRefused(
        "expected 'allreduce LEVEL MEDIUM RANKS BYTES ALGORITHM'", "allreduce fast messages ring");
    assertRefused(
        "expected 'allreduce LEVEL MEDIUM RANKS BYTES ALGORITHM'",
        "broadcast fast messages 2 4 ring");
    assertRefused("the level is fast or run, not 'any'", "allreduce any messages 2 4 ring");
    assertRefused(
        "the medium is messages, shared or hosts, not 'tcp'", "allreduce fast tcp 2 4 ring");
    assertRefused(
        "ranks and bytes are whole numbers or *, not '4K'", "allreduce fast messages 2 4K ring");
    assertRefused(
        "ranks and bytes are whole numbers or *, not '-1'", "allreduce fast messages -1 4 ring");
    assertRefused(
        "the algorithm is one of flat, gathered, direct, hierarchical, ring, doubling, tree, not"
            + " 'star'",
        "allreduce fast messages 2 4 star");
    assertRefused("ring does not keep level run", "allreduce run messages 2 4 ring");
    assertRefused("flat cannot be used with messages", "allreduce run messages 2 4 flat");
    assertRefused(
        "hierarchical cannot be used with shared", "allreduce run board 2 4 hierarchical");
  }

  private static void assertRefused(String message, String line) {
    UsageException e =
        assertThrows(
            UsageException.class, () -> AlgorithmTable.parse("t.txt", List.of("# comment", line)));
    assertEquals("t.txt, line 2: " + message, e.getMessage());
  }
}
