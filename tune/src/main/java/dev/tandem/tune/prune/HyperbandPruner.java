package dev.tandem.tune.prune;

import dev.tandem.core.UsageException;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.util.ArrayList;
import java.util.List;

/**
 * Hyperband: successive halving in several brackets, of which the first stops trials early and the
 * last none. Trials belong to brackets by their numbers, so many to each that all brackets take
 * about the same number of steps.
 *
 * @param steps of a trial that is never stopped
 * @param first least steps of a trial
 * @param factor as of {@link HalvingPruner}
 */
public record HyperbandPruner(long steps, long first, int factor) implements Pruner {

  public HyperbandPruner {
    if (first < 1 || steps < first) {
      throw new UsageException(
          "first and steps are %d and %d, expected 1 or more and not less than that"
              .formatted(first, steps));
    }
    if (factor < 2) {
      throw new UsageException("factor is %d, expected 2 or more".formatted(factor));
    }
  }

  /** How often a trial of the first bracket may be stopped. */
  int most() {
    int most = 0;
    for (long reach = first; reach <= steps / factor; reach *= factor) {
      most++;
    }
    return most;
  }

  /** How many trials in turn belong to the bracket with so many rungs. */
  long trials(int rungs) {
    return Math.ceilDiv((most() + 1) * Math.powExact((long) factor, rungs), rungs + 1L);
  }

  /** How often a trial with this number may be stopped. */
  int bracket(long number) {
    long turn = 0;
    for (int rungs = most(); rungs >= 0; rungs--) {
      turn += trials(rungs);
    }
    long place = number % turn;
    int rungs = most();
    while (place >= trials(rungs)) {
      place -= trials(rungs);
      rungs--;
    }
    return rungs;
  }

  @Override
  public Decision decide(Trial trial, History history) {
    int bracket = bracket(trial.number());
    List<Long> rungs = new ArrayList<>();
    long parts = Math.powExact((long) factor, bracket);
    for (int rung = 0; rung < bracket; rung++) {
      rungs.add(Math.max(first, steps / parts));
      parts /= factor;
    }
    return HalvingPruner.decide(
        trial, history, rungs, factor, other -> bracket(other.number()) == bracket);
  }
}
