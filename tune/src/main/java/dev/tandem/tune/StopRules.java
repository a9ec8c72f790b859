package dev.tandem.tune;

import dev.tandem.core.UsageException;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.time.Duration;
import java.util.Optional;

/**
 * When a study ends before it has had all its trials.
 *
 * @param target a value that is good enough
 * @param patience how many trials may follow the best one
 * @param time since this driver began; in order of arrival only
 * @param failures how many trials may fail
 */
public record StopRules(
    Optional<Double> target,
    Optional<Integer> patience,
    Optional<Duration> time,
    Optional<Integer> failures) {

  /** All trials are run. */
  public static final StopRules NONE =
      new StopRules(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  public StopRules {
    if (patience.filter(count -> count < 1).isPresent()
        || failures.filter(count -> count < 1).isPresent()) {
      throw new UsageException("patience and failures must be 1 or more");
    }
  }

  /** The rules applied to one trial after the other. One thread. */
  final class Watch {

    private final Direction direction;
    private double best = Double.NaN;
    private int sinceBest;
    private int failed;

    Watch(Direction direction) {
      this.direction = direction;
    }

    /** Why to stop after this trial, if so. */
    Optional<String> after(Trial trial) {
      boolean complete = trial.state() == TrialState.COMPLETE;
      if (complete && (Double.isNaN(best) || direction.better(trial.value(), best))) {
        best = trial.value();
        sinceBest = 0;
      } else {
        sinceBest++;
      }
      if (trial.state() == TrialState.FAILED
          || trial.state() == TrialState.TIMED_OUT
          || trial.state() == TrialState.LOST) {
        failed++;
      }
      if (complete
          && target.isPresent()
          && direction.loss(trial.value()) <= direction.loss(target.get())) {
        return Optional.of(
            "trial %d reached the target %s".formatted(trial.number(), target.get()));
      }
      if (patience.isPresent() && sinceBest >= patience.get()) {
        return Optional.of("%d trials without a better one".formatted(sinceBest));
      }
      if (failures.isPresent() && failed >= failures.get()) {
        return Optional.of("%d trials failed".formatted(failed));
      }
      return Optional.empty();
    }
  }
}
