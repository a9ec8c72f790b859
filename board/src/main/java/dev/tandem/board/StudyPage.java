package dev.tandem.board;

import dev.tandem.tune.importance.Importance;
import java.util.List;
import java.util.Map;

/**
 * What the page of a study shows; the page's script draws it.
 *
 * @param facts names and values, in order
 * @param metric what is searched for, and whether small values are good
 */
record StudyPage(
    String title,
    List<Report.Fact> facts,
    String metric,
    boolean minimize,
    List<Dimension> dimensions,
    List<TrialLine> trials,
    List<AttemptBar> attempts,
    List<Importance> importance,
    List<Rung> rungs,
    List<Takeover> takeovers) {

  /**
   * A parameter.
   *
   * @param choices its values if they are no range
   * @param log whether its scale is logarithmic
   */
  record Dimension(String name, List<String> choices, double least, double greatest, boolean log) {}

  /**
   * A trial.
   *
   * @param value its metric; null if it has none
   * @param steps of its reports
   * @param reports the metric at these steps; null where it is no number
   */
  record TrialLine(
      long number,
      String state,
      Double value,
      Map<String, Object> params,
      List<Long> steps,
      List<Double> reports,
      double seconds,
      int cores,
      String reason) {}

  /**
   * A step at which trials were paused.
   *
   * @param best the best metric there; null if none is a number
   */
  record Rung(long step, int paused, int continued, Double best) {}

  /**
   * A trial that went on from the checkpoint of another.
   *
   * @param step of that checkpoint
   * @param params with which it went on
   */
  record Takeover(long trial, long parent, long step, Map<String, Object> params) {}

  /**
   * When one attempt ran where, in seconds since the study began.
   *
   * @param state how it ended
   * @param reason why; empty if there is none
   */
  record AttemptBar(
      long trial,
      int attempt,
      String node,
      List<Integer> cores,
      double from,
      double to,
      String state,
      String reason) {}
}
