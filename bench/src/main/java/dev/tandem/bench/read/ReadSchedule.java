package dev.tandem.bench.read;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What is measured again and what is not, so that a benchmark ends in time. The first round has
 * everything. Later ones have only those contenders on whom a demand depends, and are as many as,
 * by what they took before, end in time and leave the same for the comparisons still to come.
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

  /**
   * Whether there is time for one more round of the first of these comparisons, if the others are
   * to have as many as it would then have.
   *
   * @param done rounds of the first, at least one; of the others only the first round is over
   */
  boolean hasTime(List<ReadPlan.Entry> rest, int done) {
    double others = expected(rest.subList(1, rest.size()), 1);
    return expected(rest.getFirst(), 1) + done * others <= left();
  }
}
