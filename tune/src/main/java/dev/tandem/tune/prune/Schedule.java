package dev.tandem.tune.prune;

import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import java.util.List;
import java.util.Optional;

/**
 * Runs trials in parts: each is paused at certain steps, with a checkpoint, and the schedule says
 * which of those that wait go on, and from whose checkpoint. Pure functions; called by one thread
 * at a time.
 */
public interface Schedule extends Pruner {

  /** A step that is never reached. */
  long NEVER = Long.MAX_VALUE;

  /** The step at which a trial that has come to this one is paused; {@link #NEVER} if it is not. */
  long after(long step);

  /** Whether trials are paused even if none of them has saved a checkpoint yet. */
  boolean always();

  /** Whether a trial whose metric is no number when it is to be paused is stopped instead. */
  boolean stopsWithoutNumber();

  /** Which paused trials go on now. */
  List<Continuation> next(Standing standing);

  /**
   * How the trials of a study stand.
   *
   * @param trials all that were asked for, by number, with their reports
   * @param complete whether no more will be asked for
   * @param idle whether nothing runs, nor can anything else begin
   */
  record Standing(List<Trial> trials, Direction direction, boolean complete, boolean idle) {}

  /** A paused trial that goes on, perhaps from the checkpoint of another. */
  record Continuation(long trial, Optional<Takeover> takeover) {

    /** From its own checkpoint. */
    static Continuation of(Trial trial) {
      return new Continuation(trial.number(), Optional.empty());
    }
  }

  /**
   * The checkpoint of another trial, and parameters for what follows.
   *
   * @param parent the number of that trial
   */
  record Takeover(long parent, Parameters parameters) {}

  /** The first report at a step or after it. */
  static Optional<Report> at(Trial trial, long step) {
    return trial.reports().stream().filter(report -> report.step() >= step).findFirst();
  }
}
