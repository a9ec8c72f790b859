package dev.tandem.cli;

import dev.tandem.checkpoint.SavedCheckpoint;
import dev.tandem.train.RunProvenance;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what a checkpoint holds. */
@Command(
    name = "show",
    description =
        "Shows the values, code version, configuration and tensors of a checkpoint; the newest"
            + " without --step.",
    footerHeading = "%nExample:%n",
    footer = "  ./tandem checkpoint show runs/demo --step 500")
final class CheckpointShowCommand extends TandemCommand {

  @Parameters(paramLabel = "RUN", description = "Folder of the run, or of its checkpoints.")
  private Path run;

  @Option(
      names = "--step",
      paramLabel = "N",
      description = "Step of the checkpoint. Default: the newest")
  private Long step;

  /** What {@code --json} gets. */
  record Results(
      String folder, long step, int ranks, Map<String, String> values, List<Tensor> tensors) {}

  /** One tensor. */
  record Tensor(
      String name,
      String dtype,
      List<Long> shape,
      long bytes,
      long storedBytes,
      int pieces,
      long unchangedSince) {}

  @Override
  protected Object run() {
    SavedCheckpoint saved = CheckpointFolder.of(run).open(step);
    List<Tensor> tensors =
        saved.tensors().values().stream()
            .map(
                t ->
                    new Tensor(
                        t.name(),
                        t.dtype().code(),
                        t.shape().extents(),
                        t.bytes(),
                        t.storedBytes(),
                        t.pieces(),
                        t.unchangedSince()))
            .toList();
    Results results =
        new Results(
            saved.folder().toString(), saved.step(), saved.ranks(), saved.values(), tensors);
    print(results);
    return results;
  }

  private void print(Results results) {
    out().printf("%s, written by %d ranks%n", results.folder, results.ranks);
    results.values.forEach(
        (name, value) -> {
          if (name.equals(RunProvenance.CONFIGURATION)) {
            out().printf("%s:%n%s", name, value.indent(2));
          } else {
            out().printf("%s = %s%n", name, value);
          }
        });
    for (Tensor tensor : results.tensors) {
      out()
          .printf(
              Locale.ROOT,
              "%-48s %-4s %-20s %,14d bytes%s%s%s%n",
              tensor.name,
              tensor.dtype,
              tensor.shape,
              tensor.bytes,
              tensor.pieces == 1 ? "" : ", %d pieces".formatted(tensor.pieces),
              tensor.storedBytes == tensor.bytes
                  ? ""
                  : String.format(Locale.ROOT, ", %,d stored", tensor.storedBytes),
              tensor.unchangedSince == results.step
                  ? ""
                  : ", unchanged since step " + tensor.unchangedSince);
    }
    long bytes = results.tensors.stream().mapToLong(Tensor::bytes).sum();
    out().printf(Locale.ROOT, "%d tensors, %,d bytes%n", results.tensors.size(), bytes);
  }
}
