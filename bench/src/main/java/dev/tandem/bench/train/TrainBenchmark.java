package dev.tandem.bench.train;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.DebianTorch;
import dev.tandem.bench.LiveContender;
import dev.tandem.bench.Machine;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Training steps by Tandem and PyTorch: the same networks, weights and batches; see {@code Note
 * [live contenders]} of {@link dev.tandem.bench.Contender}.
 */
public final class TrainBenchmark {

  private static final List<Integer> THREADS = List.of(1, 2);

  /** Relative differences of losses that rounding explains: at first, and after updates. */
  private static final double SAME_LOSS = 1e-3;

  private static final double SAME_LATER_LOSS = 1e-2;

  /**
   * How much is measured.
   *
   * @param rounds of turns
   * @param quick whether large networks get smaller batches
   * @param share of each network's usual steps that a turn has
   * @param limit no round but the first begins that would end later, from the start of everything
   */
  public record Effort(int rounds, boolean quick, double share, Duration limit) {

    /** For figures to rely on. */
    public static final Effort FULL = new Effort(11, false, 1, Duration.ofMinutes(40));

    /** Within 75 seconds. */
    public static final Effort QUICK = new Effort(3, true, 0.34, Duration.ofSeconds(68));

    public Effort withRounds(int count) {
      return new Effort(count, quick, share, limit);
    }
  }

  /** One side with a number of ranks. */
  private record Team(TrainSide side, int ranks) {}

  /**
   * What came out.
   *
   * @param missing why there is no peer, if there is none
   */
  public record Outcome(List<TrainRow> rows, Optional<String> missing) {}

  private final Effort effort;
  private final Set<TrainNetwork> networks;
  private final Set<TrainCase> cases;
  private final Progress progress;
  private final TrainTimes times;
  private long started;

  /** Prepares nothing yet. */
  public TrainBenchmark(
      Effort effort, Set<TrainNetwork> networks, Set<TrainCase> cases, Progress progress) {
    this.effort = effort;
    this.networks = networks;
    this.cases = cases;
    this.progress = progress;
    times = new TrainTimes(effort.quick());
  }

  /** Runs everything; without a peer only what needs none. */
  public Outcome run() {
    started = System.nanoTime();
    Optional<String> missing = DebianTorch.missing();
    List<TrainTask> tasks = new ArrayList<>();
    for (TrainNetwork network : networks) {
      TrainTimes.tasks(network, cases, THREADS).stream()
          .filter(each -> missing.isEmpty() || each.side() != TrainSide.TORCH)
          .forEach(tasks::add);
    }
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    String machine = Machine.describe(temporary);
    Map<Team, LiveContender> live = new HashMap<>();
    try (BenchFolder scratch = BenchFolder.in(temporary)) {
      try {
        start(tasks, scratch, live);
        check(live);
        rehearse(live);
        measure(tasks, live);
      } finally {
        live.values().forEach(LiveContender::close);
      }
    }
    List<TrainRow> rows =
        networks.stream()
            .flatMap(network -> times.rows(network, THREADS, machine).stream())
            .toList();
    return new Outcome(rows, missing);
  }

  private void start(List<TrainTask> tasks, BenchFolder scratch, Map<Team, LiveContender> live) {
    Path folder = scratch.path();
    Path script = scratch.extract(TrainBenchmark.class, "train_torch.py");
    Set<Team> teams = new LinkedHashSet<>();
    tasks.forEach(each -> teams.add(new Team(each.side(), each.ranks())));
    try (Progress.Task task = progress.start("start", teams.size(), "contenders")) {
      for (Team team : teams) {
        live.put(
            team,
            LiveContender.start(
                switch (team.side()) {
                  case TANDEM -> new TandemTrainer(team.ranks(), folder);
                  case TORCH -> new TorchTrainer(team.ranks(), script, folder);
                },
                folder));
        task.advanceTo(live.size());
      }
    }
  }

  /** All sides train the same: parameters are as many, and the first losses agree. */
  private void check(Map<Team, LiveContender> live) {
    // Tandem writes the weights that PyTorch reads.
    List<Team> order = new ArrayList<>(live.keySet());
    order.sort((a, b) -> a.side().compareTo(b.side()));
    for (TrainNetwork network : networks) {
      String question = new TrainRequest.Check(network, network.batch(effort.quick())).line();
      double[] expected = null;
      for (Team team : order) {
        double[] answer = numbers(live.get(team).ask(question));
        expected = expected == null ? answer : expected;
        if (!agree(expected, answer)) {
          throw new WorkFailedException(
              "%s: %s with %d ranks trains differently from tandem: parameters and losses %s, not %s"
                  .formatted(
                      network.code(),
                      team,
                      team.ranks(),
                      Arrays.toString(answer),
                      Arrays.toString(expected)));
        }
      }
    }
  }

  /**
   * Ranks that synchronise make many short steps that do not count, on both sides. What is done
   * once per step is not compiled by a JVM in the few steps of a first turn, but soon in a training
   * of any length.
   */
  private void rehearse(Map<Team, LiveContender> live) {
    for (Map.Entry<Team, LiveContender> each : live.entrySet()) {
      for (TrainNetwork network : each.getKey().ranks() > 1 ? networks : Set.<TrainNetwork>of()) {
        each.getValue().ask(new TrainRequest.Expose(network, 1, network.rehearsal(), 1).line());
      }
    }
  }

  /** Of parameter counts and losses. */
  static boolean agree(double[] expected, double[] actual) {
    if (actual.length != expected.length || actual[0] != expected[0]) {
      return false;
    }
    for (int i = 1; i < actual.length; i++) {
      double tolerance = i == 1 ? SAME_LOSS : SAME_LATER_LOSS;
      if (!(Math.abs(actual[i] - expected[i]) <= tolerance * Math.abs(expected[i]))) {
        return false;
      }
    }
    return true;
  }

  private static double[] numbers(String line) {
    return Arrays.stream(line.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
  }

  private void measure(List<TrainTask> tasks, Map<Team, LiveContender> live) {
    try (Progress.Task task =
        progress.start("train", (long) effort.rounds() * tasks.size(), "turns")) {
      long done = 0;
      long began = System.nanoTime();
      for (int round = 0; round < effort.rounds() && fits(began, round); round++) {
        for (TrainTask each : round % 2 == 0 ? tasks : tasks.reversed()) {
          LiveContender ranks = live.get(new Team(each.side(), each.ranks()));
          times.add(each, numbers(ranks.ask(request(each).line()))[0]);
          if (each.ranks() > 1) {
            times.addExposed(each, numbers(ranks.ask(exposing(each.network()).line())));
          }
          task.advanceTo(++done, each.network().code());
        }
      }
    }
  }

  private TrainRequest request(TrainTask each) {
    int steps = share(each.network().steps());
    return new TrainRequest.Run(
        each.network(), each.mixed(), each.threads(), each.network().warmUp(), steps);
  }

  private TrainRequest exposing(TrainNetwork network) {
    int pairs = share(network.pairs());
    return new TrainRequest.Expose(network, network.pairBatch(), network.warmUp(), pairs);
  }

  private int share(int usual) {
    return Math.max(1, (int) (usual * effort.share()));
  }

  /** Whether there is time for another round, if it takes as long as those before. */
  private boolean fits(long firstBegan, int round) {
    long now = System.nanoTime();
    long each = round == 0 ? 0 : (now - firstBegan) / round;
    return now - started + each <= effort.limit().toNanos() || round == 0;
  }
}
