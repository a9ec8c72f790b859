package dev.tandem.bench.train;

import dev.tandem.bench.Spread;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** The seconds of a step that the sides have measured, round by round, and what follows. */
final class TrainTimes {

  private final Map<TrainTask, List<Double>> seconds = new HashMap<>();
  private final boolean quick;

  /** Nothing yet, of quick or of full turns. */
  TrainTimes(boolean quick) {
    this.quick = quick;
  }

  void add(TrainTask task, double secondsOfAStep) {
    seconds.computeIfAbsent(task, any -> new ArrayList<>()).add(secondsOfAStep);
  }

  /** What must be measured for some cases of a network: first who is compared, then with whom. */
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
        // One behind the other: their difference is what synchronisation costs.
        tasks.add(TrainTask.parallel(side, network, true));
        tasks.add(TrainTask.parallel(side, network, false));
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
        if (seconds.containsKey(ours) && seconds.containsKey(peer(what, network, count))) {
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
      case DDP -> TrainTask.parallel(TrainSide.TANDEM, network, true);
    };
  }

  private static TrainTask peer(TrainCase what, TrainNetwork network, int threads) {
    return switch (what) {
      case SERIAL -> TrainTask.alone(TrainSide.TORCH, network, false, threads);
      case BF16 -> TrainTask.alone(TrainSide.TANDEM, network, false, threads);
      case DDP -> TrainTask.parallel(TrainSide.TORCH, network, true);
    };
  }

  private TrainRow row(TrainCase what, TrainNetwork network, int threads, String machine) {
    TrainTask ours = ours(what, network, threads);
    TrainTask peer = peer(what, network, threads);
    List<Double> mine = seconds.get(ours);
    List<Double> theirs = seconds.get(peer);
    Spread speed = speed(ours);
    Spread peerSpeed = speed(peer);
    Spread ratio =
        Spread.of(
            IntStream.range(0, mine.size()).mapToObj(i -> theirs.get(i) / mine.get(i)).toList());
    boolean parallel = what == TrainCase.DDP;
    double exposed = parallel ? exposed(TrainSide.TANDEM, network) : 0;
    double peerExposed = parallel ? exposed(TrainSide.TORCH, network) : 0;
    // What the other side hides whole, or what drowns in noise, is no measure.
    double exposedRatio = peerExposed > 0 ? exposed / peerExposed : 0;
    double floor = what.floor(threads);
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
        floor,
        exposed,
        peerExposed,
        exposedRatio,
        ratio.median() >= floor && (!parallel || TrainRow.hidden(exposed, peerExposed)),
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
    return Spread.of(seconds.get(task).stream().map(each -> images / each).toList());
  }

  private double exposed(TrainSide side, TrainNetwork network) {
    List<Double> with = seconds.get(TrainTask.parallel(side, network, true));
    List<Double> without = seconds.get(TrainTask.parallel(side, network, false));
    return Spread.of(
            IntStream.range(0, with.size())
                .mapToObj(i -> (with.get(i) - without.get(i)) * 1e3)
                .toList())
        .median();
  }
}
