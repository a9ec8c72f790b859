package dev.tandem.bench.sync;

import dev.tandem.bench.Bootstrap;
import dev.tandem.core.WorkFailedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Collects the lines of the ranks and makes rows of them. For one thread. */
final class SyncTimes {

  private final Map<SyncTurn, List<SyncMeasurement>> turns = new LinkedHashMap<>();
  private final List<IdleLoops.Pair> idle = new ArrayList<>();
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
      case SyncRankMain.IDLE -> idle.add(IdleLoops.Pair.of(words, 1));
      case SyncRankMain.SAME ->
          same =
              Optional.of(
                  "parameters after %s steps are the same under all policies".formatted(words[1]));
      default -> throw new WorkFailedException("a rank printed '%s'".formatted(line));
    }
  }

  /** All turns with the same input train on the same samples, if ranks share their gradients. */
  private void check(SyncTurn turn, long digest) {
    if (!turn.synchronises()) {
      return;
    }
    long first = digests.computeIfAbsent(turn.input(), key -> digest);
    if (digest != first) {
      throw new WorkFailedException("after turn %s the parameters are others".formatted(turn));
    }
  }

  /** What was found out about the parameters. */
  Optional<String> same() {
    return same;
  }

  /** Lines that were taken, less those about parameters. */
  int count() {
    return idle.size() + turns.values().stream().mapToInt(List::size).sum();
  }

  List<SyncRow> rows(String machine) {
    List<SyncRow> rows = new ArrayList<>();
    turns.forEach((turn, measured) -> rows.add(row(turn, measured, machine)));
    for (String policy : IdleLoops.POLICIES) {
      List<IdleLoops.Pair> pairs =
          idle.stream().filter(pair -> pair.policy().equals(policy)).toList();
      if (!pairs.isEmpty()) {
        rows.add(SyncRow.idle(policy, pairs, machine));
      }
    }
    return rows;
  }

  private SyncRow row(SyncTurn turn, List<SyncMeasurement> measured, String machine) {
    List<Double> toBuckets =
        ratios(turn, measured, SyncEffort.BUCKETS, SyncFigure.ITERATION_MILLIS);
    return SyncRow.of(
        turn,
        measured,
        Bootstrap.of(ratios(turn, measured, SyncEffort.BASELINE, SyncFigure.ITERATION_MILLIS)),
        Bootstrap.of(ratios(turn, measured, SyncEffort.BASELINE, SyncFigure.MEAN_MILLIS)).median(),
        toBuckets.isEmpty() ? 0 : Bootstrap.of(toBuckets).median(),
        machine);
  }

  /** Round by round, of this turn's time to that of another policy's. */
  private List<Double> ratios(
      SyncTurn turn, List<SyncMeasurement> measured, String other, SyncFigure time) {
    List<SyncMeasurement> others =
        turns.getOrDefault(new SyncTurn(other, turn.input(), turn.cycleMillis()), List.of());
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < Math.min(others.size(), measured.size()); round++) {
      ratios.add(measured.get(round).figure(time) / others.get(round).figure(time));
    }
    return ratios;
  }
}
