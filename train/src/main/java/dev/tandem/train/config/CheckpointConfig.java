package dev.tandem.train.config;

import dev.tandem.checkpoint.BackgroundCheckpoints.Level;
import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.checkpoint.Compression;
import dev.tandem.checkpoint.Retention;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * When the state is saved, besides at the end of the run, where, and what is kept.
 *
 * @param everySteps after how many steps; {@code auto} by measured costs
 * @param failureHours for {@code auto}: mean time between failures of the whole job
 * @param budgetPercent for {@code auto}: of the time that checkpoints may take at most
 * @param best also after each validation that was better than all before it; the best one is always
 *     kept
 * @param keep the newest N; 0 for all
 * @param keepEvery those whose step is a multiple of it; 0 for none
 * @param incremental tensors that have not changed are not written again
 * @param compression of what is written at the last level
 * @param partner whether each rank's part is also held in the memory of another rank
 * @param local a faster folder before the last level's, if there is one
 * @param folder of the last level; empty for the run's own
 * @param every one of N saves goes to the last level
 */
public record CheckpointConfig(
    @Default("auto") EverySteps everySteps,
    Optional<Double> failureHours,
    Optional<Double> budgetPercent,
    @Default("false") boolean best,
    @Default("3") int keep,
    @Default("0") long keepEvery,
    @Default("false") boolean incremental,
    @Default("none") Compression compression,
    @Default("false") boolean partner,
    Optional<Local> local,
    @Default("") String folder,
    @Default("1") int every) {

  /** The value of a checkpoint that says how good it is. */
  public static final String ACCURACY = "accuracy";

  /** The value of a checkpoint that says how good it is where targets are values. */
  public static final String LOSS = "test-loss";

  /** The folder of a run in which its checkpoints are, unless the configuration names another. */
  private static final String OWN_FOLDER = "checkpoints";

  /**
   * A number of steps, or {@code auto}.
   *
   * @param number 0 for never; negative for {@code auto}
   */
  record EverySteps(long number) {

    private static final String AUTO = "auto";

    static EverySteps parse(String text) {
      if (text.equals(AUTO)) {
        return new EverySteps(-1);
      }
      if (!text.matches("[0-9]{1,18}")) {
        throw new UsageException("'%s', expected a number of steps or auto".formatted(text));
      }
      return new EverySteps(Long.parseLong(text));
    }

    Object value() {
      return auto() ? AUTO : number;
    }

    boolean auto() {
      return number < 0;
    }
  }

  /** After how many steps the state is saved. */
  public sealed interface Interval {}

  /** After this many steps, 0 for never. */
  public record Fixed(long steps) implements Interval {}

  /**
   * As measured costs and the failures to be expected make best, by Young and Daly.
   *
   * @param failureHours mean time between failures of the whole job
   * @param budgetPercent of the time that checkpoints may take at most
   */
  public record Automatic(double failureHours, double budgetPercent) implements Interval {

    public Automatic {
      Require.positive("failure-hours", failureHours);
      Require.positive("budget-percent", budgetPercent);
      if (budgetPercent >= 100) {
        throw new UsageException(
            "budget-percent is %s, expected less than 100".formatted(budgetPercent));
      }
    }
  }

  /**
   * A folder on a fast disk or in memory, which all ranks see.
   *
   * @param every one of N saves goes there
   * @param keep the newest N stay there
   */
  public record Local(String folder, @Default("1") int every, @Default("1") int keep) {

    public Local {
      if (folder.isEmpty()) {
        throw new UsageException("folder is empty, expected a path");
      }
      folder = Require.absolute(folder);
      Require.atLeast("every", 1, every);
      Require.atLeast("keep", 1, keep);
    }
  }

  public CheckpointConfig {
    if (everySteps.auto()) {
      failureHours = Optional.of(failureHours.orElse(24.0));
      budgetPercent = Optional.of(budgetPercent.orElse(1.0));
      new Automatic(failureHours.get(), budgetPercent.get()); // checks
    } else if (failureHours.isPresent() || budgetPercent.isPresent()) {
      throw new UsageException(
          "%s is for every-steps: auto"
              .formatted(failureHours.isPresent() ? "failure-hours" : "budget-percent"));
    }
    folder = Require.absolute(folder);
    Require.atLeast("keep", 0, keep);
    Require.atLeast("keep-every", 0, keepEvery);
    Require.atLeast("every", 1, every);
    if (incremental && every > 1) {
      throw new UsageException(
          "incremental compares a save with the one before it: every is %d, expected 1"
              .formatted(every));
    }
    boolean near = partner || (local.isPresent() && local.get().every() == 1);
    if (!near && every > 1) {
      throw new UsageException(
          "every is %d, but no other level gets every save: set it or local.every to 1, and save"
                  .formatted(every)
              + " less often with every-steps");
    }
  }

  /** After how many steps the state is saved. */
  public Interval interval() {
    return everySteps.auto()
        ? new Automatic(failureHours.orElseThrow(), budgetPercent.orElseThrow())
        : new Fixed(everySteps.number());
  }

  /**
   * Which checkpoints stay at the last level.
   *
   * @param regression whether the best is the one with the lowest loss
   */
  Retention retention(boolean regression) {
    return keep == 0
        ? Retention.ALL
        : new Retention(
            keep,
            keepEvery,
            Optional.of(
                regression ? new Retention.Best(LOSS, false) : new Retention.Best(ACCURACY, true)));
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

  /**
   * The folders to save to, the fastest first.
   *
   * @param regression whether the best is the one with the lowest loss
   */
  public List<Level> levels(Path run, boolean regression) {
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
                .with(retention(regression))
                .withIncremental(incremental)));
    return levels;
  }
}
