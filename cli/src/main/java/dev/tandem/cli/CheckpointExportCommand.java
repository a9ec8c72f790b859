package dev.tandem.cli;

import dev.tandem.checkpoint.SavedCheckpoint;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.checkpoint.exchange.TensorFiles;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes the tensors of a checkpoint for other programs. */
@Command(
    name = "export",
    description = {
      "Writes the whole tensors of a checkpoint into one file, whichever ranks wrote them:"
          + " .safetensors (with the values as its metadata) or numpy's .npz. Everything is"
          + " verified while it is read."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem checkpoint export runs/demo weights.safetensors",
      "  ./tandem checkpoint export runs/demo fc.npz --step 500 --only '^fc'"
    })
final class CheckpointExportCommand extends TandemCommand {

  @Parameters(
      index = "0",
      paramLabel = "RUN",
      description = "Folder of the run, or of its checkpoints.")
  private Path run;

  @Parameters(index = "1", paramLabel = "FILE", description = "Ends with .safetensors or .npz.")
  private Path file;

  @Option(
      names = "--step",
      paramLabel = "N",
      description = "Step of the checkpoint. Default: the newest")
  private Long step;

  @Option(
      names = "--only",
      paramLabel = "PATTERN",
      description = "Only tensors whose names match this regular expression.")
  private String only = "";

  /** What {@code --json} gets. */
  record Results(String file, long step, int tensors, long bytes) {}

  @Override
  protected Object run() {
    TensorFiles kind = TensorFiles.of(file);
    if (Files.exists(file)) {
      throw new UsageException(file + " exists already");
    }
    SavedCheckpoint saved = CheckpointFolder.of(run).open(step);
    Predicate<String> wanted = Patterns.of("--only", only).asPredicate();
    try (Arena arena = Arena.ofShared()) {
      List<TensorView> tensors =
          saved.tensors().values().stream()
              .filter(tensor -> wanted.test(tensor.name()))
              .map(
                  t ->
                      new TensorView(t.name(), t.dtype(), t.shape(), arena.allocate(t.bytes(), 64)))
              .toList();
      if (tensors.isEmpty()) {
        throw new UsageException("no tensor matches --only " + only);
      }
      StateTree state = StateTree.of(tensors, Map.of());
      Map<String, String> values = saved.restore(SlicedState.whole(state));
      kind.write(file, tensors, values);
      out()
          .printf(
              Locale.ROOT,
              "%s: %d tensors, %,d bytes, of step %d%n",
              file,
              tensors.size(),
              state.byteSize(),
              saved.step());
      return new Results(file.toString(), saved.step(), tensors.size(), state.byteSize());
    }
  }
}
