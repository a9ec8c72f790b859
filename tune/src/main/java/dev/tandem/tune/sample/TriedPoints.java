package dev.tandem.tune.sample;

import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** How often parameters were tried, kept from suggestion to suggestion. One thread. */
final class TriedPoints {

  private final Predicate<Trial> counts;
  private final Map<Parameters, Integer> ended = new HashMap<>();
  private Map<Parameters, Integer> pending = new HashMap<>();
  private int used;
  private Trial last;

  /**
   * Nothing yet.
   *
   * @param counts which of the trials that have ended have tried their parameters
   */
  TriedPoints(Predicate<Trial> counts) {
    this.counts = counts;
  }

  /** Takes a history into account, instead of the one before. */
  @SuppressWarnings("ReferenceEquality") // The same trial is meant, and found fast.
  void update(History history) {
    List<Trial> all = history.ended();
    if (used > all.size() || (used > 0 && all.get(used - 1) != last)) {
      ended.clear();
      used = 0;
    }
    for (; used < all.size(); used++) {
      last = all.get(used);
      if (counts.test(last)) {
        ended.merge(last.parameters(), 1, Integer::sum);
      }
    }
    pending = new HashMap<>();
    history.pending().forEach(each -> pending.merge(each.parameters(), 1, Integer::sum));
  }

  /** How often. */
  int count(Parameters parameters) {
    return ended.getOrDefault(parameters, 0) + pending.getOrDefault(parameters, 0);
  }

  /** How many different parameters were tried, at most. */
  int different() {
    return ended.size() + pending.size();
  }
}
