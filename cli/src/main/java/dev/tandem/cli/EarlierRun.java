package dev.tandem.cli;

import dev.tandem.board.RunInfo;
import dev.tandem.board.RunSummary;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.core.UsageException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileTrees;
import dev.tandem.train.config.TrainingConfig;
import dev.tandem.train.run.RunFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What there is already of a run.
 *
 * @param config with which it is to be trained now
 */
record EarlierRun(TrainingConfig config, RunFolder run) {

  /**
   * A run that has nothing left to do.
   *
   * @param steps that it has made
   */
  record Complete(String run, long steps) {

    String text() {
      return "%s is complete after %,d steps: raise epochs, or steps, to train further"
          .formatted(run, steps);
    }
  }

  Optional<Complete> complete() {
    TrainingConfig before = TrainingConfig.load(run.path());
    boolean longer =
        config.epochs() > before.epochs()
            || (before.mostSteps() > 0
                && (config.mostSteps() == 0 || config.mostSteps() > before.mostSteps()));
    RunInfo info = RunInfo.of(run.path()).orElseThrow();
    List<Long> steps = checkpoints(before);
    boolean saved = !steps.isEmpty() && steps.getLast() >= RunSummary.of(info).step();
    return info.state().equals("done") && saved && !longer
        ? Optional.of(new Complete(RunFolder.shown(run.path()).toString(), steps.getLast()))
        : Optional.empty();
  }

  boolean hasCheckpoint() {
    return !checkpoints(config).isEmpty();
  }

  /** The steps of all checkpoints that the run can continue from. */
  private List<Long> checkpoints(TrainingConfig written) {
    List<Path> folders = new ArrayList<>(written.checkpoint().foreignFolders(run.path()));
    folders.add(written.checkpoint().folder(run.path()));
    return folders.stream()
        .distinct()
        .map(folder -> new FolderCheckpointStore(folder, DurableFiles.system()))
        .flatMap(store -> store.steps().stream())
        .sorted()
        .toList();
  }

  /** A new run must not go on from the checkpoints of an older one that bore its name. */
  void refuseCheckpoints() {
    for (Path folder : config.checkpoint().foreignFolders(run.path())) {
      if (Files.exists(folder)) {
        FileTrees.delete(run.path());
        throw new UsageException(
            "%s holds checkpoints of an older run with this name: remove it or choose another --name"
                .formatted(folder));
      }
    }
  }
}
