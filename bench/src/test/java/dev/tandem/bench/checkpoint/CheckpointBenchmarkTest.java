package dev.tandem.bench.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.bench.checkpoint.CheckpointBenchmark.Effort;
import dev.tandem.bench.checkpoint.CheckpointBenchmark.Model;
import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.core.Progress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The parts of the study, with a network of a quarter of a megabyte; ranks are processes. */
class CheckpointBenchmarkTest {

  @TempDir Path folder;

  private final List<String> lines = new ArrayList<>();

  private List<CheckpointRow> rows(String contenders) {
    Effort effort =
        new Effort(
            1, 4, List.of(Model.DIGITS), Model.DIGITS, Pattern.compile(contenders).asPredicate());
    return new CheckpointBenchmark(effort, folder, Progress.SILENT, lines::add).run().rows();
  }

  private static Stream<CheckpointRow> in(List<CheckpointRow> rows, String place) {
    return rows.stream().filter(row -> row.study().place().equals(place));
  }

  /** What is restored is compared with what was saved, byte for byte, by the ranks themselves. */
  @Test
  void processesSaveAndRestoreAlsoAcrossNamespacesBesideRawWrites() {
    List<CheckpointRow> rows =
        rows("digits (raw|shards async 1|shards (async|sync|partner) 2 (processes|namespaces))");
    assertEquals(
        List.of("raw", "raw-queued", "shards"),
        in(rows, "threads").map(CheckpointRow::format).toList());
    assertEquals(
        List.of(1, CheckpointOptions.QUEUE_DEPTH, CheckpointOptions.QUEUE_DEPTH),
        in(rows, "threads").map(row -> row.study().queueDepth()).toList());
    List<String> modes = List.of("async", "sync", "partner");
    assertEquals(modes, in(rows, "processes").map(CheckpointRow::mode).toList());
    if (TwoHosts.obstacle().isEmpty()) {
      assertEquals(modes, in(rows, "namespaces").map(CheckpointRow::mode).toList());
    } else {
      System.out.println("without namespaces: " + lines);
      assertEquals(1, lines.size());
    }
    for (CheckpointRow row : rows) {
      assertTrue(row.bytes() >= 29_066 * 2 * Float.BYTES, row.toString());
      assertTrue(row.stallMillis() > 0 && row.writeSeconds() > 0, row.toString());
      boolean processes = !row.study().place().equals("threads");
      assertEquals(processes, row.study().restoreSeconds() > 0, row.toString());
    }
  }

  /** Without checkpoints, with them, and from one of them: the same parameters. */
  @Test
  void determinismHoldsWithCheckpoints() {
    List<CheckpointRow> rows = rows("determinism");
    assertEquals(
        List.of("fast none", "fast shards", "run none", "run shards"),
        rows.stream().map(row -> row.study().determinism() + " " + row.format()).toList());
    for (CheckpointRow row : rows) {
      assertTrue(row.study().turnSeconds() > 0, row.toString());
      assertEquals(row.format().equals("shards"), row.stallMillis() > 0, row.toString());
      if (row.study().determinism().equals("run")) {
        assertEquals("yes", row.study().sameBits());
      }
    }
    assertEquals(0, rows.getFirst().overheadPercent());
  }
}
