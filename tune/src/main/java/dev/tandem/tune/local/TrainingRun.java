package dev.tandem.tune.local;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.FileTrees;
import dev.tandem.train.config.TrainingConfig;
import dev.tandem.tune.task.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The run of a trial that is a training: one for all its attempts, so that each resumes it; or the
 * one that holds the checkpoint which it took from another trial.
 */
final class TrainingRun {

  private static final String RECORD = "run.json";

  private TrainingRun() {}

  static Path folder(Call call) {
    return call.resumeFrom().isEmpty()
        ? call.folder().toAbsolutePath().resolve("run")
        : ofCheckpoint(Path.of(call.resumeFrom()).toAbsolutePath())
            .orElse(call.folder().toAbsolutePath().resolve("run"));
  }

  /** The run that a checkpoint is of, if it is one of a training. */
  static Optional<Path> ofCheckpoint(Path checkpoint) {
    Path folder = checkpoint.getParent();
    return folder != null
            && folder.getParent() != null
            && folder.equals(checkpoints(folder.getParent()))
            && Files.exists(folder.resolveSibling(RECORD))
        ? Optional.of(folder.getParent())
        : Optional.empty();
  }

  /** Where its checkpoints are, unless its configuration names another folder. */
  static Path checkpoints(Path run) {
    return run.resolve("checkpoints");
  }

  /**
   * Whether there is a run to resume. What cannot be resumed is removed: one that had hardly begun,
   * and one that has ended, whose result was not heard.
   */
  static boolean goesOn(Path run) {
    Path record = run.resolve(RECORD);
    try {
      boolean begun = Files.exists(record) && Files.exists(run.resolve(TrainingConfig.FILE));
      if (begun
          && !new ObjectMapper().readTree(record.toFile()).path("state").asText().equals("done")) {
        return true;
      }
    } catch (IOException e) {
      throw FileErrors.failure("read", record, e);
    }
    if (Files.exists(run)) {
      FileTrees.delete(run);
    }
    return false;
  }

  /** The step of the newest checkpoint. */
  static Optional<Long> newestStep(Path run) {
    List<Long> steps = new FolderCheckpointStore(checkpoints(run), DurableFiles.system()).steps();
    return steps.isEmpty() ? Optional.empty() : Optional.of(steps.getLast());
  }
}
