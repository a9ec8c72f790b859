package dev.tandem.train;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.core.TandemException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.SharedFile;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The whole state of a run on a rank that another one was lost to.
 *
 * @param step steps that are made
 * @param state views of live memory
 */
record SurvivingState(long step, SlicedState state) {

  private static final String LOCK = "survivor.lock";

  /**
   * Saves it, unless another survivor does; the checkpoint is like any other.
   *
   * @param run the folder of the run
   * @param folder that of its checkpoints
   * @return a line for a person, if this rank is the one
   */
  Optional<String> save(Path run, Path folder) {
    try {
      SharedFile lock = SharedFile.openOrCreate(run.resolve(LOCK)); // until this process ends
      if (!lock.tryLockExclusive(0)) {
        return Optional.empty();
      }
      CheckpointStore store = new FolderCheckpointStore(folder, DurableFiles.system());
      return store
          .keep(step, state)
          .map(place -> "a rank was lost; step %d is saved in %s".formatted(step, place));
    } catch (TandemException e) {
      return Optional.of(
          "a rank was lost; step %d is not saved: %s".formatted(step, e.getMessage()));
    }
  }
}
