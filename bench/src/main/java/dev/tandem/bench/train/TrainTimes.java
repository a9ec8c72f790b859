package dev.tandem.bench.train;

import dev.tandem.bench.Bootstrap;
import dev.tandem.bench.Spread;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** The seconds per step that the sides have measured, round by round, and what follows. */
final class TrainTimes {

  // Per step, one for each turn.
  private final Map<TrainTask, List<Double>> turns = new HashMap<>();
  // By which a step is longer with synchronisation, one for each pair of steps of all turns.
  private final Map<TrainTask, List<Double>> exposed = new HashMap<>();
  private final boolean quick;

  /** Nothing yet, of quick or of full turns. */
  TrainTimes(boolean quick) {
    this.quick = quick;
  }

  /** A turn's median step. */
  void add(TrainTask task, double seconds) {
    turns.computeIfAbsent(task, any -> new ArrayList<>()).add(seconds);
  }

  /** By how much steps were longer with synchronisation, pair by pair. */
  void addExposed(TrainTask task, double... seconds) {
    List<Double> known = exposed.computeIfAbsent(task, any -> new ArrayList<>());
    Arrays.stream(seconds).forEach(known::add);
  }

  /** What must be measured for some cases of a network, our side after its peer. */
  static List<TrainTask> tasks(TrainNetwork network, Set<TrainCase> cases, List<Integer> threads) {
    List<TrainTask> tasks = new ArrayList<>();
    for (int count : threads) {
      if (cases.contains(TrainCase.SERIAL)) {
        tasks.add(TrainTask.alone(TrainSide.TORCH, network, false, count));
      }
      if (cases.contains(TrainCase.SERIAL) || cases.contains(TrainCase.BF16)) {
        tasks.add(TrainTask.alone(TrainSide.TANDEM, network, false, count));
      }
      if (cases.contains(TrainCase.BF16)) {
        tasks.add(TrainTask.alone(TrainSide.TANDEM, network, true, count));
      }
    }
    if (cases.contains(TrainCase.DDP)) {
      for (TrainSide side : List.of(TrainSide.TORCH, TrainSide.TANDEM)) {
        tasks.add(TrainTask.parallel(side, network));
      }
    }
    return tasks;
  }

  /** The results of a network for the cases of which both sides have been measured. */
  List<TrainRow> rows(TrainNetwork network, List<Integer> threads, String machine) {
    List<TrainRow> rows = new ArrayList<>();
    for (TrainCase what : EnumSet.allOf(TrainCase.class)) {
      for (int count : what == TrainCase.DDP ? List.of(1) : threads) {
        TrainTask ours = ours(what, network, count);
        if (turns.containsKey(ours) && turns.containsKey(peer(what, network, count))) {
          rows.add(row(what, network, count, machine));
        }
      }
    }
    return rows;
  }

  private static TrainTask ours(TrainCase what, TrainNetwork network, int threads) {
    return switch (what) {
      case SERIAL -> TrainTask.alone(TrainSide.TANDEM, network, false, threads);
      case BF16 -> TrainTask.alone(TrainSide.TANDEM, network, true, threads);
      case DDP -> TrainTask.parallel(TrainSide.TANDEM, network);
    };
  }

  private static TrainTask peer(TrainCase what, TrainNetwork network, int threads) {
    return switch (what) {
      case SERIAL -> TrainTask.alone(TrainSide.TORCH, network, false, threads);
      case BF16 -> TrainTask.alone(TrainSide.TANDEM, network, false, threads);
      case DDP -> TrainTask.parallel(TrainSide.TORCH, network);
    };
  }

  private TrainRow row(TrainCase what, TrainNetwork network, int threads, String machine) {
    TrainTask ours = ours(what, network, threads);
    TrainTask peer = peer(what, network, threads);
    List<Double> mine = turns.get(ours);
    List<Double> theirs = turns.get(peer);
    Spread speed = speed(ours);
    Spread peerSpeed = speed(peer);
    Spread ratio =
        Spread.of(
            IntStream.range(0, mine.size()).mapToObj(i -> theirs.get(i) / mine.get(i)).toList());
    boolean parallel = what == TrainCase.DDP;
    Exposure exposure =
        parallel ? Exposure.of(exposed.get(ours), exposed.get(peer)) : Exposure.NONE;
    Bootstrap millis = exposure.millis();
    Bootstrap peerMillis = exposure.peerMillis();
    return new TrainRow(
        what.code(),
        network.code(),
        threads,
        ours.ranks(),
        network.batch(quick),
        speed.median(),
        speed.least(),
        speed.most(),
        peerName(what),
        peerSpeed.median(),
        peerSpeed.least(),
        peerSpeed.most(),
        ratio.median(),
        ratio.least(),
        ratio.most(),
        parallel ? network.pairBatch() : 0,
        exposure.pairs(),
        millis.median(),
        millis.low(),
        millis.high(),
        peerMillis.median(),
        peerMillis.low(),
        peerMillis.high(),
        exposure.ratio().median(),
        exposure.ratio().low(),
        exposure.ratio().high(),
        mine.size(),
        machine);
  }

  private static String peerName(TrainCase what) {
    return switch (what) {
      case SERIAL -> "torch";
      case BF16 -> "tandem float32";
      case DDP -> "torch DDP over Gloo";
    };
  }

  private Spread speed(TrainTask task) {
    double images = (double) task.network().batch(quick) * task.ranks();
    return Spread.of(turns.get(task).stream().map(seconds -> images / seconds).toList());
  }
}
