package dev.tandem.bench.read;

import static java.util.Comparator.comparingDouble;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What is measured again and what is not, so that a benchmark ends in time. The first round has
 * everything. Later ones have only those contenders on whom a demand depends, and are as many as,
 * by what they took before, end in time; short comparisons may have more of them than long ones.
 */
final class ReadSchedule {

  private final Duration time;
  private final LongSupplier nanoClock;
  private final long began;
  private final Map<ReadPlan.Entry, Map<String, Double>> seconds = new HashMap<>();

  /**
   * @param time after which nothing shall run any more
   */
  ReadSchedule(Duration time, LongSupplier nanoClock) {
    this.time = time;
    this.nanoClock = nanoClock;
    this.began = nanoClock.getAsLong();
  }

  /** How long it has been running. */
  double elapsed() {
    return (nanoClock.getAsLong() - began) / 1e9;
  }

  /** A run with everything around it, such as filling the page cache, took so long. */
  void took(ReadPlan.Entry entry, String contender, double runSeconds) {
    seconds.computeIfAbsent(entry, any -> new HashMap<>()).merge(contender, runSeconds, Math::max);
  }

  /** How long a comparison will take in a round: as before, or by rule of thumb. */
  double expected(ReadPlan.Entry entry, int round) {
    Map<String, Double> known = seconds.getOrDefault(entry, Map.of());
    return entry.contenders(round).stream()
        .mapToDouble(name -> known.getOrDefault(name, entry.what().likelySeconds()))
        .sum();
  }

  /** How long a round of these comparisons will take. */
  double expected(List<ReadPlan.Entry> entries, int round) {
    return entries.stream().mapToDouble(entry -> expected(entry, round)).sum();
  }

  /** Until everything must have ended. */
  double left() {
    return time.toMillis() / 1e3 - elapsed();
  }

  Duration time() {
    return time;
  }

  /** Whether a comparison, by what it took before, ends in time. */
  boolean hasTime(ReadPlan.Entry entry, int round) {
    return expected(entry, round) <= left();
  }

  /**
   * How many rounds each comparison shall have behind the first, in the time that is left: the next
   * one goes to whoever has the fewest, and among those to the shortest.
   *
   * @param most with the first
   */
  Map<ReadPlan.Entry, Integer> furtherRounds(List<ReadPlan.Entry> entries, int most) {
    Map<ReadPlan.Entry, Integer> rounds = new HashMap<>();
    double budget = left();
    List<ReadPlan.Entry> shortestFirst =
        entries.stream().sorted(comparingDouble(entry -> expected(entry, 1))).toList();
    for (int round = 1; round < most; round++) {
      for (ReadPlan.Entry entry : shortestFirst) {
        double cost = expected(entry, 1);
        if (cost <= budget) {
          rounds.merge(entry, 1, Integer::sum);
          budget -= cost;
        }
      }
    }
    return rounds;
  }
}
