package dev.tandem.tune;

import dev.tandem.core.UsageException;
import dev.tandem.tune.StudySettings.Order;
import dev.tandem.tune.prune.Population;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.task.Input;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.RetryPolicy;
import java.nio.file.Path;
import java.util.List;

/**
 * How a study's trials are run: what may change when it is resumed.
 *
 * @param trials how many there are to be, at most
 * @param workers how many run at the same time
 * @param budget the last step wanted of a trial; 0 for as many as it likes
 * @param first parameters to try before any that the sampler chooses
 */
public record TrialPlan(
    long trials,
    int workers,
    Limits limits,
    RetryPolicy retries,
    StopRules stop,
    long budget,
    List<Parameters> first,
    List<Input> inputs,
    TrialStorage storage) {

  public TrialPlan {
    if (trials < 1 || workers < 1 || budget < 0) {
      throw new UsageException(
          "trials is %d, workers is %d and budget is %d, expected 1 or more, 1 or more, 0 or more"
              .formatted(trials, workers, budget));
    }
    first = List.copyOf(first);
    inputs = List.copyOf(inputs);
  }

  /** Refuses what a study in fixed order cannot keep its promise with. */
  public void requirePossible(StudySettings settings, Pruner pruner) {
    if (settings.order() != Order.FIXED) {
      return;
    }
    if (workers > settings.window()) {
      throw new UsageException(
          "%d workers need --window %d, which changes the suggestions".formatted(workers, workers));
    }
    if (pruner instanceof Population && trials > settings.window()) {
      throw new UsageException(
          "%d trials of pruner.pbt need --window %d, because all of them wait for each other, not %d"
              .formatted(trials, trials, settings.window()));
    }
    if (stop.time().isPresent()) {
      throw new UsageException("stop.time needs order: arrival, where time may decide");
    }
  }

  /** The folder of a trial. */
  Path folder(long trial) {
    return storage.of(trial);
  }
}
