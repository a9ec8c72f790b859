package dev.tandem.tune.trial;

import java.util.List;

/**
 * The trials that a suggestion or a decision may use, and no others: what makes a study repeatable
 * is that its samplers and pruners see exactly these.
 *
 * <p>A sampler may keep what it computed of the first trials of {@link #ended} and compare them by
 * identity with those of the next history: a study only adds to the list.
 *
 * @param direction whether small values are good
 * @param ended trials that have ended, of every end, in the order in which they count
 * @param pending trials that were asked for and whose end is not known here, by number; with the
 *     reports that may be used
 */
public record History(Direction direction, List<Trial> ended, List<Trial> pending) {

  /** What the trial is to minimise: its value, or the worst if that is no number. */
  public double loss(Trial trial) {
    return direction.loss(trial.value());
  }

  /** The same of one of its reports. */
  public double loss(Report report) {
    return direction.loss(report.value());
  }
}
