package dev.tandem.tune.trial;

import dev.tandem.tune.space.Parameters;
import java.util.List;

/**
 * One try of parameters.
 *
 * @param number counts from 0 in the order in which parameters were asked for
 * @param value the metric at its end; of a pruned trial the last one reported; NaN if there is none
 * @param reports in the order of their steps, of the last attempt
 * @param diverged whether its metric became no number or infinite: a fault of the parameters, not
 *     of the machine
 * @param reason why it ended as it did, in one line; empty for a complete one
 * @param seconds that its last attempt took
 */
public record Trial(
    long number,
    Parameters parameters,
    TrialState state,
    double value,
    List<Report> reports,
    boolean diverged,
    String reason,
    double seconds) {

  public Trial {
    reports = List.copyOf(reports);
  }

  /** One that was asked for and has not begun. */
  public static Trial waiting(long number, Parameters parameters) {
    return new Trial(number, parameters, TrialState.WAITING, Double.NaN, List.of(), false, "", 0);
  }

  /** The same, running, with these reports. */
  public Trial running(List<Report> soFar) {
    return new Trial(number, parameters, TrialState.RUNNING, Double.NaN, soFar, false, "", 0);
  }

  /** The same, paused where it is. */
  public Trial paused(List<Report> soFar, double last, String why, double took) {
    return new Trial(number, parameters, TrialState.PAUSED, last, soFar, false, why, took);
  }

  /** A paused one as if it had been stopped there. */
  public Trial pruned() {
    return new Trial(number, parameters, TrialState.PRUNED, value, reports, false, reason, seconds);
  }

  /** The same, complete with a value. */
  public Trial complete(double result) {
    return new Trial(number, parameters, TrialState.COMPLETE, result, reports, false, "", seconds);
  }

  /**
   * Whether samplers may learn from it: a complete or pruned one, and one whose metric diverged,
   * which counts as the worst. One that the machine failed says nothing about its parameters.
   */
  public boolean counts() {
    return state == TrialState.COMPLETE || state == TrialState.PRUNED || diverged;
  }
}
