package dev.tandem.bench.sync;

import dev.tandem.bench.Bootstrap;
import dev.tandem.bench.Spread;
import dev.tandem.core.WorkFailedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** Collects the lines of the ranks and makes rows of them. For one thread. */
final class SyncTimes {

  /** Lines of an idle synchroniser: ratio, share of a core, milliseconds. */
  private record Idle(double ratio, double share, double millis) {}

  private final Map<SyncTurn, List<SyncMeasurement>> turns = new LinkedHashMap<>();
  private final List<Idle> idle = new ArrayList<>();
  private final Map<SyncInput, Long> digests = new HashMap<>();
  private Optional<String> same = Optional.empty();

  /** Takes a line of rank 0. */
  void add(String line) {
    String[] words = line.split(" ", -1);
    switch (words[0]) {
      case SyncRankMain.TURN -> {
        SyncTurn turn = SyncTurn.of(words[2], words[3], words[4]);
        SyncMeasurement measured = SyncMeasurement.of(words, 5);
        check(turn, measured.digest());
        turns.computeIfAbsent(turn, key -> new ArrayList<>()).add(measured);
      }
      case SyncRankMain.IDLE ->
          idle.add(
              new Idle(
                  Double.parseDouble(words[1]),
                  Double.parseDouble(words[2]),
                  Double.parseDouble(words[3])));
      case SyncRankMain.SAME ->
          same =
              Optional.of(
                  "parameters after %s steps are the same under all policies".formatted(words[1]));
      default -> throw new WorkFailedException("a rank printed '%s'".formatted(line));
    }
  }

  /** All turns with the same input train on the same samples. */
  private void check(SyncTurn turn, long digest) {
    long first = digests.computeIfAbsent(turn.input(), key -> digest);
    if (digest != first) {
      throw new WorkFailedException("after turn %s the parameters are others".formatted(turn));
    }
  }

  /** What was found out about the parameters. */
  Optional<String> same() {
    return same;
  }

  int count() {
    return turns.values().stream().mapToInt(List::size).sum();
  }

  List<SyncRow> rows(String machine) {
    List<SyncRow> rows = new ArrayList<>();
    turns.forEach((turn, measured) -> rows.add(row(turn, measured, machine)));
    if (!idle.isEmpty()) {
      Bootstrap ratio = Bootstrap.of(idle.stream().map(Idle::ratio).toList());
      rows.add(
          new SyncRow(
              "idle",
              SyncInput.SYNTHETIC.code(),
              0,
              Spread.of(idle.stream().map(Idle::millis).toList()).median(),
              0,
              ratio.median(),
              ratio.low(),
              ratio.high(),
              0,
              Spread.of(idle.stream().map(Idle::share).toList()).median(),
              0,
              0,
              0,
              idle.size(),
              machine));
    }
    return rows;
  }

  private SyncRow row(SyncTurn turn, List<SyncMeasurement> measured, String machine) {
    List<Double> ratios = ratios(turn, measured, SyncEffort.BASELINE);
    List<Double> toBuckets = ratios(turn, measured, SyncEffort.BUCKETS);
    Bootstrap ratio = Bootstrap.of(ratios);
    return new SyncRow(
        turn.policy(),
        turn.input().code(),
        turn.cycleMillis(),
        median(measured, SyncMeasurement::iterationMillis),
        median(measured, SyncMeasurement::p95Millis),
        ratio.median(),
        ratio.low(),
        ratio.high(),
        toBuckets.isEmpty() ? 0 : Bootstrap.of(toBuckets).median(),
        median(measured, SyncMeasurement::cpuShare),
        median(measured, SyncMeasurement::waitShare),
        median(measured, SyncMeasurement::switches),
        median(measured, SyncMeasurement::oversleepMicros),
        measured.size(),
        machine);
  }

  /** Round by round, of this turn's time to that of another policy's. */
  private List<Double> ratios(SyncTurn turn, List<SyncMeasurement> measured, String other) {
    List<SyncMeasurement> others =
        turns.getOrDefault(new SyncTurn(other, turn.input(), turn.cycleMillis()), List.of());
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < Math.min(others.size(), measured.size()); round++) {
      ratios.add(measured.get(round).iterationMillis() / others.get(round).iterationMillis());
    }
    return ratios;
  }

  private static double median(
      List<SyncMeasurement> measured, ToDoubleFunction<SyncMeasurement> figure) {
    return Spread.of(measured.stream().mapToDouble(figure).boxed().toList()).median();
  }
}
