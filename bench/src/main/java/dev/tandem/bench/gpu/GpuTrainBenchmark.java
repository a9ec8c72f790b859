package dev.tandem.bench.gpu;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Contender;
import dev.tandem.bench.LiveContender;
import dev.tandem.bench.Spread;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** Training steps on a GPU by Tandem and PyTorch; see the package. */
public final class GpuTrainBenchmark {

  /** Ways in which the peer computes the same losses: its spread. */
  private static final List<String> VARIANTS = List.of("usual", "contiguous", "benchmark");

  private static final int LOSS_STEPS = 50;
  private static final int LOSS_BATCH = 64;

  /** Ranks on one GPU that exchange gradients. */
  private static final int EXCHANGING = 2;

  /**
   * What came out.
   *
   * @param losses of both sides; null without a peer
   * @param missing why there is no peer; null if there is one
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Outcome(List<GpuTrainRow> rows, GpuLosses losses, String missing) {}

  /** What is measured of a case. */
  private enum Way {
    GRAPH("graph"),
    EAGER("eager"),
    TORCH("eager"),
    COMPILED("compile");

    private final String verb;

    Way(String verb) {
      this.verb = verb;
    }
  }

  private final String device;
  private final int rounds;
  private final Set<GpuNetwork> networks;
  private final Progress progress;

  /**
   * Prepares nothing yet.
   *
   * @param rounds of turns
   */
  public GpuTrainBenchmark(String device, int rounds, Set<GpuNetwork> networks, Progress progress) {
    this.device = device;
    this.rounds = rounds;
    this.networks = networks;
    this.progress = progress;
  }

  /** Runs everything; without a peer only what needs none. */
  public Outcome run() {
    Optional<String> missing = TorchGpu.missing();
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    List<GpuTrainRow> rows = new ArrayList<>();
    GpuLosses losses = null;
    try (BenchFolder scratch = BenchFolder.in(temporary)) {
      Path folder = scratch.path();
      Path script = scratch.extract(GpuTrainBenchmark.class, "train_torch_gpu.py");
      try (Progress.Task task = progress.start("train", GpuCase.of(networks).size(), "cases");
          LiveContender ours = LiveContender.start(new TandemGpu(1, folder, device), folder)) {
        String machine = ours.ask("about");
        if (missing.isEmpty()) {
          Contender torch = new TorchGpu(script, folder, device);
          try (LiveContender theirs = LiveContender.start(torch, folder)) {
            String both = machine + "; " + theirs.ask("about");
            losses = losses(ours, theirs);
            task.advanceTo(rows.size());
            for (GpuCase each : GpuCase.of(networks)) {
              rows.add(row(each, ours, Optional.of(theirs), both));
              task.advanceTo(rows.size());
            }
          }
        } else {
          for (GpuCase each : GpuCase.of(networks)) {
            rows.add(row(each, ours, Optional.empty(), machine));
            task.advanceTo(rows.size());
          }
        }
        for (GpuCase each : GpuCase.of(networks)) {
          if (each.compiled()) {
            rows.add(added("checkpoint", each, ours, "graph", "saving", 1, machine));
          }
        }
      }
      try (LiveContender two =
          LiveContender.start(new TandemGpu(EXCHANGING, folder, device), folder)) {
        String machine = two.ask("about");
        for (GpuCase each : GpuCase.of(networks)) {
          if (each.compiled()) {
            rows.add(added("exchange", each, two, "eager", "exchange", EXCHANGING, machine));
          }
        }
      }
    }
    return new Outcome(rows, losses, missing.orElse(null));
  }

  private static GpuLosses losses(LiveContender ours, LiveContender theirs) {
    String request = "losses %d %d".formatted(LOSS_STEPS, LOSS_BATCH);
    List<Double> own = GpuLosses.parse(ours.ask(request));
    GpuLosses losses =
        new GpuLosses(
            own,
            VARIANTS.stream()
                .map(variant -> GpuLosses.parse(theirs.ask(request + " " + variant)))
                .toList());
    if (!losses.agree()) {
      throw new WorkFailedException("tandem trains differently from PyTorch: " + losses.text());
    }
    return losses;
  }

  private GpuTrainRow row(
      GpuCase each, LiveContender ours, Optional<LiveContender> theirs, String machine) {
    Map<Way, List<Double>> seconds = new EnumMap<>(Way.class);
    List<Way> ways = new ArrayList<>(List.of(Way.GRAPH, Way.EAGER));
    if (theirs.isPresent()) {
      ways.add(Way.TORCH);
      if (each.compiled()) {
        ways.add(Way.COMPILED);
      }
    }
    for (int round = 0; round < rounds; round++) {
      for (Way way : round % 2 == 0 ? ways : ways.reversed()) {
        boolean peer = way == Way.TORCH || way == Way.COMPILED;
        double measured = ask(peer ? theirs.orElseThrow() : ours, way.verb, each);
        seconds.computeIfAbsent(way, _ -> new ArrayList<>()).add(measured);
      }
    }
    List<Double> graph = seconds.get(Way.GRAPH);
    Optional<Spread> ratio =
        Optional.ofNullable(seconds.get(Way.TORCH)).map(torch -> ratios(torch, graph));
    return new GpuTrainRow(
        "eager",
        each.network().code(),
        each.precision(),
        each.batch(),
        speed(each, seconds, Way.GRAPH),
        speed(each, seconds, Way.EAGER),
        speed(each, seconds, Way.TORCH),
        speed(each, seconds, Way.COMPILED),
        ratio.map(Spread::median).orElse(0.0),
        ratio.map(Spread::least).orElse(0.0),
        ratio.map(Spread::most).orElse(0.0),
        rounds,
        machine);
  }

  /** What is done beside the steps of ranks on one GPU, each with a whole batch, adds to them. */
  private GpuTrainRow added(
      String what,
      GpuCase each,
      LiveContender ours,
      String without,
      String with,
      int ranks,
      String machine) {
    List<Double> alone = new ArrayList<>();
    List<Double> together = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      alone.add(ask(ours, without, each));
      together.add(ask(ours, with, each));
    }
    Spread ratio = ratios(together, alone);
    double speed = ranks * each.batch() / Spread.of(alone).median();
    boolean recorded = without.equals("graph");
    return new GpuTrainRow(
        what,
        each.network().code(),
        each.precision(),
        each.batch(),
        recorded ? speed : 0,
        recorded ? 0 : speed,
        0,
        0,
        ratio.median(),
        ratio.least(),
        ratio.most(),
        rounds,
        machine);
  }

  private static double ask(LiveContender side, String verb, GpuCase each) {
    return Double.parseDouble(side.ask("%s %s %d".formatted(verb, each.words(), each.steps())));
  }

  private static Spread ratios(List<Double> above, List<Double> below) {
    return Spread.of(
        IntStream.range(0, below.size()).mapToObj(i -> above.get(i) / below.get(i)).toList());
  }

  private static double speed(GpuCase each, Map<Way, List<Double>> seconds, Way way) {
    return seconds.containsKey(way) ? each.batch() / Spread.of(seconds.get(way)).median() : 0;
  }
}
