package dev.tandem.tune.prune;

import dev.tandem.core.UsageException;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Stops a trial whose best value so far is worse than a percentile of what complete trials had at
 * the same step; the median is the percentile 50. A trial none of whose values is a number stops.
 *
 * @param percentile from 0 to 100: the part of the trials that goes on
 * @param startup complete trials before anything is stopped
 * @param warmUp steps of each trial before which it is not stopped
 * @param interval steps from one decision to the next
 */
public record PercentilePruner(double percentile, int startup, long warmUp, long interval)
    implements Pruner {

  public PercentilePruner {
    if (!(percentile >= 0 && percentile <= 100)) {
      throw new UsageException("percentile is %s, expected 0 to 100".formatted(percentile));
    }
    if (startup < 0 || warmUp < 0 || interval < 1) {
      throw new UsageException(
          "startup, warm-up and interval are %d, %d and %d, expected 0, 0 and 1 or more"
              .formatted(startup, warmUp, interval));
    }
  }

  @Override
  public Decision decide(Trial trial, History history) {
    Report last = trial.reports().getLast();
    long complete = history.ended().stream().filter(PercentilePruner::complete).count();
    if (complete == 0 || complete < startup || last.step() < warmUp || !firstOfInterval(trial)) {
      return Decision.GO_ON;
    }
    OptionalDouble best =
        trial.reports().stream()
            .filter(report -> !Double.isNaN(report.value()))
            .mapToDouble(history::loss)
            .min();
    if (best.isEmpty()) {
      return new Decision.Stop("no value up to step %d is a number".formatted(last.step()));
    }
    double[] others =
        history.ended().stream()
            .filter(PercentilePruner::complete)
            .flatMap(each -> each.reports().stream())
            .filter(report -> report.step() == last.step() && !Double.isNaN(report.value()))
            .mapToDouble(history::loss)
            .toArray();
    if (others.length == 0) {
      return Decision.GO_ON;
    }
    double limit = percentile(others);
    if (best.getAsDouble() > limit) {
      return new Decision.Stop(
          String.format(
              Locale.ROOT,
              "worse than percentile %s of %d trials at step %d",
              percentile == Math.rint(percentile)
                  ? String.valueOf((long) percentile)
                  : String.valueOf(percentile),
              others.length,
              last.step()));
    }
    return Decision.GO_ON;
  }

  private static boolean complete(Trial trial) {
    return trial.state() == TrialState.COMPLETE;
  }

  /** Whether no earlier report was in the interval of the last one. */
  private boolean firstOfInterval(Trial trial) {
    long step = trial.reports().getLast().step();
    long begin = (step - warmUp) / interval * interval + warmUp;
    return trial.reports().stream()
        .limit(trial.reports().size() - 1L)
        .noneMatch(report -> report.step() >= begin && report.step() != step);
  }

  /** Between the two nearest values, in proportion. */
  private double percentile(double[] values) {
    Arrays.sort(values);
    double place = percentile / 100 * (values.length - 1);
    int below = (int) Math.floor(place);
    int above = Math.min(values.length - 1, below + 1);
    return values[below] == values[above]
        ? values[below]
        : values[below] + (place - below) * (values[above] - values[below]);
  }
}
