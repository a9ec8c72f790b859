package dev.tandem.tune.prune;

import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.Trial;
import java.util.List;

/**
 * Runs trials in parts: each is paused at certain steps, with a checkpoint, and the schedule says
 * which of those that wait go on. Pure functions; called by one thread at a time.
 */
public interface Schedule extends Pruner {

  /** A step that is never reached. */
  long NEVER = Long.MAX_VALUE;

  /** The step at which a trial that has come to this one is paused; {@link #NEVER} if it is not. */
  long after(long step);

  /** Whether trials are paused even if none of them has saved a checkpoint yet. */
  boolean always();

  /**
   * Which paused trials go on now.
   *
   * @param trials all that were asked for, by number, with their reports
   * @param last whether nothing runs, nor can anything else begin
   */
  List<Continuation> next(List<Trial> trials, Direction direction, boolean last);

  /**
   * A paused trial that goes on.
   *
   * @param until the step at which it is paused again
   */
  record Continuation(long trial, long until) {}
}
