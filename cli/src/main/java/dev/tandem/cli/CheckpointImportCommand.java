package dev.tandem.cli;

import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.checkpoint.exchange.TensorFiles;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.posix.DurableFiles;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a checkpoint of tensors that another program wrote. */
@Command(
    name = "import",
    description = {
      "Makes a checkpoint from the tensors in a .safetensors or .npz file, for instance weights"
          + " written by Python. ./tandem train CONFIG --init-from RUN begins with it. Files that"
          + " hold objects or code are refused."
    },
    footerHeading = "%nExample:%n",
    footer = "  ./tandem checkpoint import weights.npz runs/new")
final class CheckpointImportCommand extends TandemCommand {

  @Parameters(index = "0", paramLabel = "FILE", description = "Ends with .safetensors or .npz.")
  private Path file;

  @Parameters(
      index = "1",
      paramLabel = "RUN",
      description = "Folder of a run; the checkpoint goes into its folder checkpoints.")
  private Path run;

  @Option(
      names = "--step",
      paramLabel = "N",
      defaultValue = "0",
      description = "Step of the new checkpoint. Default: ${DEFAULT-VALUE}")
  private long step;

  /** What {@code --json} gets. */
  record Results(String folder, long step, int tensors, long bytes) {}

  @Override
  protected Object run() {
    TensorFiles kind = TensorFiles.of(file);
    if (!Files.isRegularFile(file)) {
      throw new UsageException("no such file: " + file);
    }
    if (step < 0) {
      throw new UsageException("--step must not be negative: " + step);
    }
    try (Arena arena = Arena.ofShared()) {
      List<TensorView> tensors = kind.read(file, arena);
      StateTree state =
          StateTree.of(
              tensors,
              Map.of("step", Long.toString(step), "imported", file.getFileName().toString()));
      Path saved =
          new FolderCheckpointStore(run.resolve("checkpoints"), DurableFiles.system())
              .save(step, state);
      out()
          .printf(
              Locale.ROOT, "%s: %d tensors, %,d bytes%n", saved, tensors.size(), state.byteSize());
      return new Results(saved.toString(), step, tensors.size(), state.byteSize());
    }
  }
}
