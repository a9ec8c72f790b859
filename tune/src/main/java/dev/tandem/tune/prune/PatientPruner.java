package dev.tandem.tune.prune;

import dev.tandem.core.UsageException;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import java.util.List;

/**
 * Asks another rule only about a trial that has stopped getting better: none of its last reports,
 * one more than {@code reports}, beats the best before them. A trial that goes on getting better is
 * left alone, however bad it is.
 *
 * @param rule that is asked; {@link #STOP} stops every such trial
 * @param reports for which a trial may stay as it is
 */
public record PatientPruner(Pruner rule, int reports) implements Pruner {

  /** Stops whatever it is asked about. */
  public static final Pruner STOP =
      (trial, history) ->
          new Decision.Stop(
              "no better for some reports before step %d"
                  .formatted(trial.reports().getLast().step()));

  public PatientPruner {
    if (reports < 0) {
      throw new UsageException("reports is %d, expected 0 or more".formatted(reports));
    }
  }

  @Override
  public Decision decide(Trial trial, History history) {
    List<Report> all = trial.reports();
    int before = all.size() - reports - 1;
    if (before < 1 || best(all.subList(0, before), history) >= best(tail(all, before), history)) {
      return Decision.GO_ON;
    }
    return rule.decide(trial, history);
  }

  private static List<Report> tail(List<Report> all, int before) {
    return all.subList(before, all.size());
  }

  private static double best(List<Report> reports, History history) {
    return reports.stream().mapToDouble(history::loss).min().orElse(Double.POSITIVE_INFINITY);
  }
}
