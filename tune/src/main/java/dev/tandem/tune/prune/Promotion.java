package dev.tandem.tune.prune;

import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Asynchronous successive halving by promotion: every trial is paused at the rungs {@code first},
 * {@code first * factor}, ..., and a free worker continues the best one that is among the best of
 * every {@code factor} trials of its rung, from the top rung down; if there is none, it begins
 * another trial. Unlike {@link HalvingPruner} nothing is decided for good: a trial that is passed
 * over may still go on when others come that are worse.
 *
 * @param steps of a whole trial
 * @param always whether trials are paused from the first on; otherwise as soon as one has saved a
 *     checkpoint, and until then stopped as {@link HalvingPruner} does
 */
public record Promotion(long first, int factor, long steps, boolean always) implements Schedule {

  public Promotion {
    var _ = new HalvingPruner(first, factor);
  }

  @Override
  public Decision decide(Trial trial, History history) {
    return always ? Decision.GO_ON : new HalvingPruner(first, factor).decide(trial, history);
  }

  @Override
  public long after(long step) {
    long rung = first;
    while (rung <= step && rung < steps) {
      rung = Math.multiplyExact(rung, factor);
    }
    return rung < steps ? rung : NEVER;
  }

  @Override
  public boolean stopsWithoutNumber() {
    return true;
  }

  @Override
  public List<Continuation> next(Standing standing) {
    List<Trial> trials = standing.trials();
    Direction direction = standing.direction();
    Optional<Trial> best = Optional.empty();
    for (long rung = top(trials); rung > 0 && best.isEmpty(); rung = below(rung)) {
      best = promoted(trials, rung, direction, factor);
    }
    // So few trials that no rung is full: the best goes on, that the study has a result.
    if (best.isEmpty()
        && standing.idle()
        && trials.stream().noneMatch(each -> each.state() == TrialState.COMPLETE)) {
      for (long rung = top(trials); rung > 0 && best.isEmpty(); rung = below(rung)) {
        best = promoted(trials, rung, direction, 1);
      }
    }
    return best.map(Continuation::of).stream().toList();
  }

  /** The best trial that waits at a rung, if it is among one of every so many there. */
  private Optional<Trial> promoted(
      List<Trial> trials, long rung, Direction direction, int ofEvery) {
    List<Trial> there =
        trials.stream()
            .filter(each -> at(each, rung).isPresent())
            .sorted(
                Comparator.comparingDouble(
                    each -> direction.loss(at(each, rung).orElseThrow().value())))
            .toList();
    return there.stream()
        .limit(there.size() / ofEvery)
        .filter(each -> each.state() == TrialState.PAUSED && reached(each) == rung)
        .findFirst();
  }

  private static Optional<Report> at(Trial trial, long rung) {
    return Schedule.at(trial, rung).filter(report -> !Double.isNaN(report.value()));
  }

  /** The highest rung that a trial has come to; 0 if none. */
  long reached(Trial trial) {
    long last = trial.reports().stream().mapToLong(Report::step).max().orElse(0);
    long next = after(last);
    return next == NEVER ? highest() : below(next);
  }

  private long top(List<Trial> trials) {
    return trials.stream().mapToLong(this::reached).max().orElse(0);
  }

  /** The rung before one; 0 before the first. */
  private long below(long rung) {
    return rung <= first ? 0 : rung / factor;
  }

  private long highest() {
    long rung = 0;
    for (long next = after(0); next != NEVER; next = after(next)) {
      rung = next;
    }
    return rung;
  }
}
