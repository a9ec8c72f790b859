package dev.tandem.tune.prune;

import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;

/**
 * Decides whether a trial that runs goes on. A pure function, asked after each report; called by
 * one thread at a time.
 */
@FunctionalInterface
public interface Pruner {

  /** Every trial goes on to its end. */
  Pruner NONE = (trial, history) -> Decision.GO_ON;

  /**
   * What to do after the last report of a trial.
   *
   * @param trial the trial with all its reports, of which there is at least one
   * @param history others: those that have ended, and of those that run what may be used
   */
  Decision decide(Trial trial, History history);
}
