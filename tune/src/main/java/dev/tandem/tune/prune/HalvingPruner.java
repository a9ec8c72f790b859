package dev.tandem.tune.prune;

import dev.tandem.core.UsageException;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Asynchronous successive halving: at the steps {@code first}, {@code first * factor}, {@code first
 * * factor^2}, ..., the rungs, only the best of every {@code factor} trials that came so far goes
 * on. What a trial has at a rung is its first report there or beyond.
 *
 * @param first step of the first rung
 * @param factor of the steps, and one over the part of the trials that goes on
 */
public record HalvingPruner(long first, int factor) implements Pruner {

  public HalvingPruner {
    if (first < 1) {
      throw new UsageException("first is %d, expected 1 or more".formatted(first));
    }
    if (factor < 2) {
      throw new UsageException("factor is %d, expected 2 or more".formatted(factor));
    }
  }

  @Override
  public Decision decide(Trial trial, History history) {
    List<Long> rungs = new ArrayList<>();
    long last = trial.reports().getLast().step();
    for (long rung = first; rung <= last; rung = Math.multiplyExact(rung, factor)) {
      rungs.add(rung);
    }
    return decide(trial, history, rungs, factor, other -> true);
  }

  /**
   * Decides at those rungs that the last report is the first to reach.
   *
   * @param rungs steps, the smallest first
   * @param competes the other trials that count
   */
  static Decision decide(
      Trial trial, History history, List<Long> rungs, int factor, Predicate<Trial> competes) {
    Report last = trial.reports().getLast();
    for (long rung : rungs) {
      if (Schedule.at(trial, rung).map(Report::step).orElse(-1L) != last.step()) {
        continue;
      }
      if (Double.isNaN(last.value())) {
        return new Decision.Stop("the value at step %d is no number".formatted(last.step()));
      }
      List<Double> losses = new ArrayList<>(losses(history, history.ended(), rung, competes));
      losses.addAll(
          losses(
              history,
              history.pending(),
              rung,
              competes.and(each -> each.number() != trial.number())));
      double own = history.loss(last);
      losses.add(own);
      losses.sort(null);
      int going = Math.max(1, losses.size() / factor);
      if (own > losses.get(going - 1)) {
        return new Decision.Stop(
            "not among the best %d of %d at step %d".formatted(going, losses.size(), rung));
      }
    }
    return Decision.GO_ON;
  }

  private static List<Double> losses(
      History history, List<Trial> trials, long rung, Predicate<Trial> competes) {
    return trials.stream()
        .filter(competes)
        .flatMap(each -> Schedule.at(each, rung).stream())
        .filter(report -> !Double.isNaN(report.value()))
        .map(history::loss)
        .toList();
  }
}
