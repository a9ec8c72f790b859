package dev.tandem.bench.servers;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Bootstrap;
import dev.tandem.bench.Machine;
import dev.tandem.bench.Ranks;
import dev.tandem.bench.Spread;
import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The same training with allreduce, servers and proxies, with 2 ranks and with 4. */
public final class ServersBenchmark {

  private static final int[] RANKS = {2, 4};
  private static final int MOST_SAMPLES = 8_000;
  private static final int TEST_SAMPLES = 1_000;

  private final ServersEffort effort;
  private final Progress progress;

  /** Prepares nothing yet. */
  public ServersBenchmark(ServersEffort effort, Progress progress) {
    this.effort = effort;
    this.progress = progress;
  }

  /** Runs everything. */
  public List<ServersRow> run() {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    String machine = Machine.describe(temporary);
    List<ServersRow> rows = new ArrayList<>();
    try (BenchFolder folder = BenchFolder.in(temporary)) {
      draw(folder.path().resolve(ServersRankMain.TRAINING), 1, trainingSamples());
      draw(folder.path().resolve(ServersRankMain.TEST), 2, TEST_SAMPLES);
      for (int ranks : RANKS) {
        rows.addAll(rows(ranks, measure(ranks, folder.path()), machine));
      }
    }
    return rows;
  }

  /** No more than a turn of the most ranks sees; longer turns see some twice. */
  private int trainingSamples() {
    int ranks = RANKS[RANKS.length - 1];
    return Math.min(MOST_SAMPLES, effort.steps() * ranks * ServersWorkload.BATCH);
  }

  private void draw(Path folder, long seed, int count) {
    GlyphDatabase.write(folder, new Seed(seed), count, progress);
  }

  /** The measurements of each turn, round by round. */
  private Map<ServersTurn, List<ServersMeasurement>> measure(int ranks, Path folder) {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    long total = (long) effort.rounds() * ServersTurn.all(ranks, effort.staleness()).size();
    try (Progress.Task task = progress.start(ranks + " ranks", total, "turns")) {
      LaunchPlan plan =
          LaunchPlan.of(
              ranks, ServersRankMain.class.getName(), effort.arguments(folder.toString()));
      Ranks.run(
          "the benchmark of parameter servers",
          plan,
          line -> {
            lines.add(line);
            task.advanceTo(lines.size());
          });
    }
    Map<ServersTurn, List<ServersMeasurement>> turns = new LinkedHashMap<>();
    ServersTurn.all(ranks, effort.staleness()).forEach(turn -> turns.put(turn, new ArrayList<>()));
    for (String line : lines) {
      String[] words = line.split(" ", -1);
      turns.get(ServersTurn.of(words, 1)).add(ServersMeasurement.of(words, 4));
    }
    return turns;
  }

  private List<ServersRow> rows(
      int ranks, Map<ServersTurn, List<ServersMeasurement>> turns, String machine) {
    List<ServersRow> rows = new ArrayList<>();
    turns.forEach(
        (turn, measured) -> {
          List<ServersMeasurement> allreduce =
              turns.get(new ServersTurn(ServersTurn.ALLREDUCE, 0, turn.late()));
          rows.add(row(ranks, turn, measured, allreduce, machine));
        });
    return rows;
  }

  private ServersRow row(
      int ranks,
      ServersTurn turn,
      List<ServersMeasurement> measured,
      List<ServersMeasurement> allreduce,
      String machine) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < measured.size(); round++) {
      ratios.add(allreduce.get(round).seconds() / measured.get(round).seconds());
    }
    Bootstrap ratio = Bootstrap.of(ratios);
    return new ServersRow(
        ranks,
        turn.mode(),
        turn.staleness(),
        turn.late().code(),
        effort.steps() / median(measured, ServersMeasurement::seconds),
        ratio.median(),
        ratio.low(),
        ratio.high(),
        median(measured, one -> one.moved().near()) / effort.steps(),
        median(measured, one -> one.moved().far()) / effort.steps(),
        turn.mode().equals(ServersTurn.ALLREDUCE) ? "computed" : "counted",
        median(measured, ServersMeasurement::lag),
        median(measured, ServersMeasurement::loss),
        median(measured, ServersMeasurement::accuracy),
        (long) effort.steps() * ranks * ServersWorkload.BATCH,
        measured.size(),
        "simulated topology: %d hosts of %d"
            .formatted(ServersRankMain.HOSTS, ranks / ServersRankMain.HOSTS),
        machine);
  }

  private static double median(
      List<ServersMeasurement> measured, ToDoubleFunction<ServersMeasurement> of) {
    return Spread.of(measured.stream().map(of::applyAsDouble).toList()).median();
  }
}
