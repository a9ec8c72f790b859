package dev.tandem.cli;

import dev.tandem.checkpoint.SavedCheckpoint;
import dev.tandem.core.WorkFailedException;
import dev.tandem.train.RunProvenance;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Lists checkpoints. */
@Command(
    name = "ls",
    description = {
      "Lists the committed checkpoints of a run, oldest first: bytes of tensors, bytes on disk that"
          + " no earlier checkpoint holds, number of writing ranks, and values."
    },
    footerHeading = "%nExample:%n",
    footer = "  ./tandem checkpoint ls runs/demo")
final class CheckpointListCommand extends TandemCommand {

  @Parameters(paramLabel = "RUN", description = "Folder of the run, or of its checkpoints.")
  private Path run;

  /** One checkpoint; of one that cannot be read there is only why. */
  record Row(
      long step,
      int ranks,
      int tensors,
      long bytes,
      long storedBytes,
      Map<String, String> values,
      String problem) {}

  @Override
  protected Object run() {
    CheckpointFolder folder = CheckpointFolder.of(run);
    List<Row> rows = new ArrayList<>();
    out()
        .printf(
            "%10s %6s %8s %15s %15s  %s%n",
            "step", "ranks", "tensors", "bytes", "on disk", "values");
    for (long step : folder.steps()) {
      Row row = row(folder, step);
      rows.add(row);
      if (row.problem.isEmpty()) {
        out()
            .printf(
                Locale.ROOT,
                "%10d %6d %8d %,15d %,15d  %s%n",
                row.step,
                row.ranks,
                row.tensors,
                row.bytes,
                row.storedBytes,
                row.values);
      } else {
        out().printf("%10d %s%n", row.step, row.problem);
      }
    }
    return rows;
  }

  private static Row row(CheckpointFolder folder, long step) {
    try {
      SavedCheckpoint saved = folder.open(step);
      Collection<SavedCheckpoint.Tensor> tensors = saved.tensors().values();
      return new Row(
          step,
          saved.ranks(),
          tensors.size(),
          tensors.stream().mapToLong(SavedCheckpoint.Tensor::bytes).sum(),
          tensors.stream()
              .filter(tensor -> tensor.unchangedSince() == step)
              .mapToLong(SavedCheckpoint.Tensor::storedBytes)
              .sum(),
          brief(saved.values()),
          "");
    } catch (WorkFailedException e) {
      return new Row(step, 0, 0, 0, 0, Map.of(), e.getMessage());
    }
  }

  /** What fits a line; {@code show} has the rest. */
  private static Map<String, String> brief(Map<String, String> values) {
    Map<String, String> brief = new TreeMap<>(values);
    brief.remove(RunProvenance.CONFIGURATION);
    return brief;
  }
}
