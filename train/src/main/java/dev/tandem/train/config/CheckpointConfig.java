package dev.tandem.train.config;

import dev.tandem.checkpoint.BackgroundCheckpoints.Level;
import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.checkpoint.Compression;
import dev.tandem.checkpoint.Retention;
import dev.tandem.core.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * When the state is saved, besides at the end of the run, where, and what is kept.
 *
 * @param interval after how many steps
 * @param best also after each validation that was better than all before it; the best one is always
 *     kept
 * @param keep so many of the newest; 0 for all
 * @param keepEvery those whose step is a multiple of it; 0 for none
 * @param incremental tensors that have not changed are not written again
 * @param compression of what is written at the last level
 * @param partner whether each rank's part is also held in the memory of another rank
 * @param local a faster folder before the last level's, if there is one
 * @param folder of the last level; empty for the run's own
 * @param every of so many saves one goes to the last level
 */
public record CheckpointConfig(
    Interval interval,
    boolean best,
    int keep,
    long keepEvery,
    boolean incremental,
    Compression compression,
    boolean partner,
    Optional<Local> local,
    String folder,
    int every) {

  /** The value of a checkpoint that says how good it is. */
  public static final String ACCURACY = "accuracy";

  /** The word in the place of a number of steps that asks for {@link Automatic}. */
  static final String AUTOMATIC = "auto";

  /** The folder of a run in which its checkpoints are, unless the configuration names another. */
  private static final String OWN_FOLDER = "checkpoints";

  /** After how many steps the state is saved. */
  public sealed interface Interval {}

  /** After so many, 0 for never. */
  public record Fixed(long steps) implements Interval {

    public Fixed {
      Require.atLeast("checkpoint.every-steps", 0, steps);
    }
  }

  /**
   * As measured costs and the failures to be expected make best, by Young and Daly.
   *
   * @param failureHours mean time between failures of the whole job
   * @param budgetPercent of the time that checkpoints may take at most
   */
  public record Automatic(double failureHours, double budgetPercent) implements Interval {

    public Automatic {
      Require.positive("checkpoint.failure-hours", failureHours);
      Require.positive("checkpoint.budget-percent", budgetPercent);
      if (budgetPercent >= 100) {
        throw new UsageException(
            "checkpoint.budget-percent is %s, not less than 100".formatted(budgetPercent));
      }
    }
  }

  /**
   * A folder on a fast disk or in memory, which all ranks see.
   *
   * @param every of so many saves one goes there
   * @param keep so many of the newest stay there
   */
  public record Local(String folder, int every, int keep) {

    public Local {
      if (folder.isEmpty()) {
        throw new UsageException("checkpoint.local: folder is missing");
      }
      Require.atLeast("checkpoint.local.every", 1, every);
      Require.atLeast("checkpoint.local.keep", 1, keep);
    }
  }

  public CheckpointConfig {
    Require.atLeast("checkpoint.keep", 0, keep);
    Require.atLeast("checkpoint.keep-every", 0, keepEvery);
    Require.atLeast("checkpoint.every", 1, every);
    if (incremental && every > 1) {
      throw new UsageException(
          "checkpoint.incremental compares a save with the one before it, so it goes with"
              + " checkpoint.every: 1, not "
              + every);
    }
    boolean near = partner || (local.isPresent() && local.get().every() == 1);
    if (!near && every > 1) {
      throw new UsageException(
          "no level gets every save: set checkpoint.every or checkpoint.local.every to 1, and"
              + " save less often with checkpoint.every-steps");
    }
  }

  /** Which checkpoints stay at the last level. */
  public Retention retention() {
    return keep == 0
        ? Retention.ALL
        : new Retention(keep, keepEvery, Optional.of(new Retention.Best(ACCURACY, true)));
  }

  /** Where the checkpoints of a run are that outlive it: the last level. */
  public Path folder(Path run) {
    return folder.isEmpty() ? run.resolve(OWN_FOLDER) : below(folder, run);
  }

  /** Folders that belong to a run and are not in its own. */
  public List<Path> foreignFolders(Path run) {
    List<Path> folders = new ArrayList<>();
    local.ifPresent(level -> folders.add(below(level.folder(), run)));
    if (!folder.isEmpty()) {
      folders.add(folder(run));
    }
    return folders;
  }

  /** Runs may share a folder: each has its own below it. */
  private static Path below(String folder, Path run) {
    return Path.of(folder).resolve(run.getFileName());
  }

  /** The folders to save to, the fastest first. */
  public List<Level> levels(Path run) {
    List<Level> levels = new ArrayList<>();
    local.ifPresent(
        level ->
            levels.add(
                new Level(
                    below(level.folder(), run),
                    level.every(),
                    CheckpointOptions.DEFAULT.with(Retention.last(level.keep())))));
    levels.add(
        new Level(
            folder(run),
            every,
            CheckpointOptions.DEFAULT
                .with(compression)
                .with(retention())
                .withIncremental(incremental)));
    return levels;
  }
}
