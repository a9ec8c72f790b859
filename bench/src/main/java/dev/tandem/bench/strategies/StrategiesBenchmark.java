package dev.tandem.bench.strategies;

import dev.tandem.bench.Machine;
import dev.tandem.bench.Ranks;
import dev.tandem.bench.Spread;
import dev.tandem.bench.strategies.StrategiesRankMain.Comparison;
import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.core.Progress;
import dev.tandem.nn.spec.NetworkSpec.Node;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The same training under every strategy, by turns, against one process and data parallelism. */
public final class StrategiesBenchmark {

  private final List<StrategiesNetwork> networks;
  private final int ranks;
  private final StrategiesEffort effort;
  private final Progress progress;

  /** Prepares nothing yet. */
  public StrategiesBenchmark(
      List<StrategiesNetwork> networks, int ranks, StrategiesEffort effort, Progress progress) {
    this.networks = List.copyOf(networks);
    this.ranks = ranks;
    this.effort = effort;
    this.progress = progress;
  }

  /** What was found out about a strategy. */
  private static final class Found {
    private final Map<Comparison, Double> errors = new EnumMap<>(Comparison.class);
    private double memory;
    private double bytes;
    private final List<StepFigures> turns = new ArrayList<>();

    private double median(ToDoubleFunction<StepFigures> of) {
      return Spread.of(turns.stream().map(of::applyAsDouble).toList()).median();
    }

    /** The median over rounds of how much faster it is than another. */
    private double ratio(Found other) {
      List<Double> ratios = new ArrayList<>();
      for (int round = 0; round < turns.size(); round++) {
        ratios.add(other.turns.get(round).seconds() / turns.get(round).seconds());
      }
      return Spread.of(ratios).median();
    }
  }

  /** Runs everything. */
  public List<StrategiesRow> run() {
    String machine = Machine.describe(Path.of(System.getProperty("java.io.tmpdir")));
    List<StrategiesRow> rows = new ArrayList<>();
    for (StrategiesNetwork network : networks) {
      Map<String, Found> found = measure(network);
      found.forEach((name, each) -> rows.add(row(network, name, each, found, machine)));
    }
    return rows;
  }

  private Map<String, Found> measure(StrategiesNetwork network) {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    // Three lines of errors, one of plans, and the rounds.
    long total = (long) StrategiesRankMain.strategies().size() * (effort.rounds() + 4);
    try (Progress.Task task = progress.start(network.code(), total, "turns")) {
      LaunchPlan plan =
          LaunchPlan.of(ranks, StrategiesRankMain.class.getName(), effort.arguments(network))
              .withEnvironment(Map.of("TANDEM_TRANSPORT", "shm"));
      Ranks.run(
          "the benchmark of strategies",
          plan,
          line -> {
            lines.add(line);
            task.advanceTo(lines.size());
          });
    }
    Map<String, Found> found = new LinkedHashMap<>();
    for (String line : lines) {
      String[] words = line.split(" ", -1);
      Found own = found.computeIfAbsent(words[1], _ -> new Found());
      switch (words[0]) {
        case StrategiesRankMain.COMPARED ->
            own.errors.put(Comparison.valueOf(words[2]), Double.parseDouble(words[3]));
        case StrategiesRankMain.PLANNED -> {
          own.memory = Double.parseDouble(words[2]);
          own.bytes = Double.parseDouble(words[3]);
        }
        default -> own.turns.add(StepFigures.of(words, 2));
      }
    }
    return found;
  }

  private StrategiesRow row(
      StrategiesNetwork network, String name, Found found, Map<String, Found> all, String machine) {
    double seconds = found.median(StepFigures::seconds);
    double copy = found.median(StepFigures::copy);
    double exchange = found.median(StepFigures::exchange);
    double sync = found.median(StepFigures::sync);
    double idle = found.median(StepFigures::idle);
    return new StrategiesRow(
        network.code(),
        name,
        ranks,
        ranks > Runtime.getRuntime().availableProcessors(),
        network.batch(),
        network.batch() / seconds,
        found.ratio(all.get(StrategiesRankMain.DATA)),
        found.ratio(all.get(StrategiesRankMain.SERIAL)),
        seconds,
        seconds - exchange - copy - sync - idle,
        exchange,
        copy,
        sync,
        idle,
        Math.round(found.median(StepFigures::bytes)),
        (long) found.bytes,
        found.errors.get(Comparison.FLOAT64),
        found.errors.get(Comparison.SMOOTH),
        found.errors.get(Comparison.FLOAT32) == 0,
        Math.round(found.median(StepFigures::peak)),
        (long) found.memory,
        found.turns.size(),
        layers(network, found),
        machine);
  }

  private static List<StrategiesRow.Layer> layers(StrategiesNetwork network, Found found) {
    List<StrategiesRow.Layer> layers = new ArrayList<>();
    List<Node> nodes = network.spec().nodes();
    for (int i = 0; i < nodes.size(); i++) {
      int layer = i;
      layers.add(
          new StrategiesRow.Layer(
              nodes.get(i).name(),
              found.median(turn -> turn.layers().get(layer).compute()),
              found.median(turn -> turn.layers().get(layer).copy()),
              found.median(turn -> turn.layers().get(layer).transfer())));
    }
    return layers;
  }
}
