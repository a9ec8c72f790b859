package dev.tandem.tune;

import dev.tandem.tune.StudySettings.Order;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which trials a suggestion or a decision may use, see {@code Note [order]}.
 *
 * @param pauses whether trials may be paused
 */
record VisibleTrials(StudySettings settings, StudyState state, boolean pauses) {

  /**
   * What the suggestion of a trial may use; none if not all of it is known.
   *
   * @param open trials that run or wait for room
   */
  Optional<History> forSuggestion(int next, List<Long> open) {
    List<Trial> pending = new ArrayList<>();
    if (settings.order() == Order.FIXED) {
      int seen = Math.max(0, next - settings.window() + 1);
      if (state.byNumber().size() < seen) {
        return Optional.empty();
      }
      for (int trial = seen; trial < next; trial++) {
        pending.add(Trial.waiting(trial, state.trial(trial).parameters()));
      }
      return Optional.of(new History(settings.direction(), state.byNumber().first(seen), pending));
    }
    open.forEach(trial -> pending.add(state.trial(trial)));
    return Optional.of(new History(settings.direction(), arrived(), pending));
  }

  /** What a decision about a trial may use. */
  History forDecision(long trial) {
    if (settings.order() == Order.FIXED) {
      int seen = (int) Math.max(0, trial - settings.window() + 1);
      return new History(settings.direction(), state.byNumber().first(seen), List.of());
    }
    return new History(settings.direction(), arrived(), List.of());
  }

  /**
   * Trials that have ended, and after them those that wait at a step, with what they have there.
   */
  private List<Trial> arrived() {
    List<Trial> ended = state.byArrival().first(state.byArrival().size());
    List<Trial> paused = pauses ? state.paused() : List.of();
    if (paused.isEmpty()) {
      return ended;
    }
    List<Trial> all = new ArrayList<>(ended);
    paused.forEach(trial -> all.add(trial.pruned()));
    return all;
  }
}
