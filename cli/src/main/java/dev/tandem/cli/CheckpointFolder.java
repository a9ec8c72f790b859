package dev.tandem.cli;

import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.checkpoint.SavedCheckpoint;
import dev.tandem.core.UsageException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Where the checkpoints are that a user names.
 *
 * @param store a folder that holds checkpoints
 */
record CheckpointFolder(Path store) {

  /** From the folder itself or that of a run, whose configuration says where it keeps them. */
  static CheckpointFolder of(Path named) {
    if (!Files.isDirectory(named)) {
      throw new UsageException("no such folder: " + named);
    }
    Path inRun = named.resolve("checkpoints");
    if (!Files.isDirectory(inRun) && Files.exists(named.resolve(TrainingConfig.FILE))) {
      Path run = named.toAbsolutePath().normalize();
      return new CheckpointFolder(TrainingConfig.load(run).checkpoint().folder(run));
    }
    return new CheckpointFolder(Files.isDirectory(inRun) ? inRun : named);
  }

  /** The committed steps, oldest first; at least one. */
  List<Long> steps() {
    List<Long> steps = new FolderCheckpointStore(store, DurableFiles.system()).steps();
    if (steps.isEmpty()) {
      throw new UsageException("no checkpoint in " + store);
    }
    return steps;
  }

  /** The checkpoint of a step, or the newest if none is named. */
  SavedCheckpoint open(Long step) {
    List<Long> steps = steps();
    if (step != null && !steps.contains(step)) {
      throw new UsageException(
          "no checkpoint of step %d in %s; there are %s".formatted(step, store, steps));
    }
    return SavedCheckpoint.open(
        store, step != null ? step : steps.getLast(), DurableFiles.system());
  }
}
