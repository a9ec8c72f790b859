package dev.tandem.tune.prune;

import dev.tandem.core.UsageException;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;

/**
 * Stops a trial whose value leaves a range or is no number.
 *
 * @param least value that goes on
 * @param greatest value that goes on
 * @param warmUp steps before which nothing is stopped
 */
public record ThresholdPruner(double least, double greatest, long warmUp) implements Pruner {

  public ThresholdPruner {
    if (!(least < greatest)) {
      throw new UsageException(
          "threshold is %s to %s, expected the smaller one first".formatted(least, greatest));
    }
    if (warmUp < 0) {
      throw new UsageException("warm-up is %d, expected 0 or more".formatted(warmUp));
    }
  }

  @Override
  public Decision decide(Trial trial, History history) {
    Report last = trial.reports().getLast();
    if (last.step() < warmUp || (last.value() >= least && last.value() <= greatest)) {
      return Decision.GO_ON;
    }
    return new Decision.Stop(
        "%s at step %d is not between %s and %s"
            .formatted(last.value(), last.step(), least, greatest));
  }
}
