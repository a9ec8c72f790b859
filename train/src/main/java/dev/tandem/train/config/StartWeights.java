package dev.tandem.train.config;

import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.checkpoint.SavedCheckpoint;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.checkpoint.exchange.TensorFiles;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.exchange.NetworkFiles;
import dev.tandem.nn.weights.Weights;
import dev.tandem.posix.DurableFiles;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Weights that a run begins with: a .safetensors, .npz or .onnx file, a checkpoint, or a run, of
 * which the newest checkpoint counts.
 */
public final class StartWeights {

  private static final Pattern STEP = Pattern.compile("step-(\\d{1,18})");

  private StartWeights() {}

  /** The tensors at a place, in memory that lives as long as they are reachable. */
  public static Weights read(Path place) {
    if (!Files.exists(place)) {
      throw new WorkFailedException("fine-tune.init-from: there is no file " + place);
    }
    if (Files.isDirectory(place)) {
      return Weights.of(place.toString(), checkpoint(place.toAbsolutePath().normalize()));
    }
    if (place.toString().endsWith(".npz")) {
      return Weights.of(place.toString(), TensorFiles.NPZ.read(place, Arena.ofAuto()));
    }
    return NetworkFiles.weights(place);
  }

  private static List<TensorView> checkpoint(Path folder) {
    Matcher one = STEP.matcher(String.valueOf(folder.getFileName()));
    if (one.matches()) {
      return tensors(folder.getParent(), Long.parseLong(one.group(1)));
    }
    Path inRun = folder.resolve("checkpoints");
    Path store = inRun;
    if (!Files.isDirectory(inRun)) {
      store =
          Files.exists(folder.resolve(TrainingConfig.FILE))
              ? TrainingConfig.load(folder).checkpoint().folder(folder)
              : folder;
    }
    List<Long> steps = new FolderCheckpointStore(store, DurableFiles.system()).steps();
    if (steps.isEmpty()) {
      throw new UsageException(
          "fine-tune.init-from: %s is neither a run nor a checkpoint: there is no checkpoint in %s"
              .formatted(folder, store));
    }
    return tensors(store, steps.getLast());
  }

  private static List<TensorView> tensors(Path store, long step) {
    SavedCheckpoint saved = SavedCheckpoint.open(store, step, DurableFiles.system());
    Arena arena = Arena.ofAuto();
    List<TensorView> tensors =
        saved.tensors().values().stream()
            .map(t -> new TensorView(t.name(), t.dtype(), t.shape(), arena.allocate(t.bytes(), 64)))
            .toList();
    saved.restore(SlicedState.whole(StateTree.of(tensors, Map.of())));
    return tensors;
  }
}
