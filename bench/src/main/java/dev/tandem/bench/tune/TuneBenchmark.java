package dev.tandem.bench.tune;

import dev.tandem.bench.BenchFolder;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.tune.local.LocalEngine;
import dev.tandem.tune.remote.SparkHome;
import dev.tandem.tune.remote.SparkOptions;
import dev.tandem.tune.sample.DistinctSampler;
import dev.tandem.tune.sample.RandomSampler;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.sample.cma.CmaSampler;
import dev.tandem.tune.sample.tpe.TpeSampler;
import dev.tandem.tune.sample.tpe.TpeSettings;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.WholeDomain;
import dev.tandem.tune.task.TaskEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Measures samplers beside those of Optuna; rows and verdict are there when it has run. */
public final class TuneBenchmark {

  private static final double NONE = 0;
  private static final int SEARCHES = 2000;
  private static final List<Integer> SLEEPERS = List.of(1, 2, 4);

  private final TuneEffort effort;
  private final BenchFolder folder;
  private final Path optuna;
  private final Progress progress;
  private final Consumer<List<TuneRow>> save;
  private final List<TuneRow> rows = new ArrayList<>();

  /**
   * A benchmark.
   *
   * @param save gets all rows whenever there are more
   */
  public TuneBenchmark(
      TuneEffort effort, BenchFolder folder, Progress progress, Consumer<List<TuneRow>> save) {
    OptunaPeer.missing()
        .ifPresent(
            reason -> {
              throw new WorkFailedException("the benchmark needs Optuna as a peer: " + reason);
            });
    this.effort = effort;
    this.folder = folder;
    this.optuna = OptunaPeer.script(folder);
    this.progress = progress;
    this.save = save;
  }

  /** What was measured so far. */
  public List<TuneRow> rows() {
    return List.copyOf(rows);
  }

  /** The regret of both sides, and the verdict on the cases that count. */
  public QualityVerdict quality() {
    List<TestFunction> functions = new ArrayList<>(TestFunctions.all());
    functions.add(GlyphTable.recorded().function());
    List<QualityCase> judged = new ArrayList<>();
    try (OptunaPeer peer = new OptunaPeer(optuna);
        Progress.Task task =
            progress.start("studies", (long) functions.size() * effort.seeds(), "seeds")) {
      for (TestFunction function : functions) {
        List<Double> ours = new ArrayList<>();
        List<Double> equalMass = new ArrayList<>();
        List<Double> theirs = new ArrayList<>();
        for (int seed = 0; seed < effort.seeds(); seed++) {
          ours.add(ours(TpeSettings.TANDEM, function, seed));
          equalMass.add(ours(TpeSettings.OPTUNA_4, function, seed));
          theirs.add(SequentialStudy.optuna(peer, "tpe", function, seed, effort.trials()).regret());
          task.advanceTo(
              (long) functions.indexOf(function) * effort.seeds() + seed + 1, function.name());
        }
        QualityCase found = new QualityCase(function.name(), ours, theirs);
        add(row(function.heldOut() ? "regret-variant" : "regret", found));
        add(row("regret-optuna-4", new QualityCase(function.name(), equalMass, theirs)));
        if (!function.heldOut()) {
          judged.add(found);
        }
      }
    }
    return QualityVerdict.of(judged);
  }

  private double ours(TpeSettings settings, TestFunction function, long seed) {
    Sampler tpe = new TpeSampler(settings);
    Sampler sampler = settings.equals(TpeSettings.TANDEM) ? new DistinctSampler(tpe, 1) : tpe;
    return SequentialStudy.tandem(sampler, function, seed, effort.trials()).regret();
  }

  private static TuneRow row(String measure, QualityCase found) {
    return new TuneRow(
        measure,
        found.name(),
        QualityCase.median(found.tandem()),
        QualityCase.median(found.peer()),
        found.ratio(),
        false);
  }

  /** Trials that do nothing. */
  public void overhead() {
    new OverheadCases(folder, fourParameters()).rows(effort.overheadTrials()).forEach(this::add);
  }

  /** How much sooner a search that stops bad trials is good enough. */
  public void timeToTarget() {
    add(new TimeToTarget(GlyphTable.recorded()).row(SEARCHES));
  }

  /** Processor time of suggestions, in the mean of a whole study. */
  public void suggest() {
    suggest("tpe", () -> new TpeSampler(TpeSettings.TANDEM), suggested(), effort.suggestTrials());
    suggest(
        "cma",
        () -> new CmaSampler(new RandomSampler()),
        TestFunctions.all().get(1),
        effort.suggestTrials() / 5);
  }

  private void suggest(String name, Supplier<Sampler> sampler, TestFunction function, int trials) {
    // The JVM compiles what a study of this length uses.
    SequentialStudy.tandem(sampler.get(), function, 1, trials);
    double ours = SequentialStudy.tandem(sampler.get(), function, 2, trials).cpuSeconds();
    String row =
        "%s, %d parameters, mean to %,d trials"
            .formatted(name, function.space().parameters().size(), trials);
    try (OptunaPeer peer = new OptunaPeer(optuna)) {
      double its = SequentialStudy.optuna(peer, name, function, 2, trials).cpuSeconds();
      add(TuneRow.of("suggest", row, ours, its));
    }
  }

  /** Programs that sleep, as the engines run them; on Spark if that is built. */
  public void efficiency() {
    try (TaskEngine engine = new LocalEngine()) {
      efficiency("local", engine);
    }
    Optional<SparkHome> spark = SparkHome.built(System.getProperty("tandem.home", ""));
    if (spark.isPresent()) {
      SparkOptions options = SparkOptions.DEFAULT.withCores(SLEEPERS.getLast());
      try (TaskEngine engine = spark.get().start(options, note -> {})) {
        efficiency("spark", engine);
      }
    }
  }

  private void efficiency(String name, TaskEngine engine) {
    for (int workers : SLEEPERS) {
      double found = effort.sleeps().efficiency(engine, workers, folder);
      String row =
          "%s, %d sleeps of %.0f s, %d workers"
              .formatted(name, effort.sleeps().sleeps(), effort.sleeps().seconds(), workers);
      add(new TuneRow("efficiency", row, found, null, null, false));
    }
    add(
        new TuneRow(
            "affinity",
            name + ", cores used by 8 busy programs of a one-core trial",
            AffinityCase.cores(engine, folder),
            null,
            null,
            false));
  }

  /** What the trace of a study costs. */
  public void tracing() {
    add(new TracingCase(folder, effort.sleeps()).row());
  }

  private static Space fourParameters() {
    return Space.of(
        new Parameter("rate", new RealDomain(1e-5, 1, 0, true)),
        new Parameter("drop", new RealDomain(0, 1, 0, false)),
        new Parameter("units", new WholeDomain(1, 100, 1, false)),
        new Parameter("kind", new ChoiceDomain(List.of("a", "b", "c"))));
  }

  private static TestFunction suggested() {
    return new TestFunction(
        "four parameters",
        fourParameters(),
        NONE,
        at ->
            Math.pow(Math.log10(at.real("rate")) + 2, 2)
                + Math.pow(at.real("drop") - 0.3, 2)
                + Math.abs(at.real("units") - 40) / 100
                + (at.word("kind").equals("a") ? 0 : 1),
        false);
  }

  private void add(TuneRow row) {
    rows.add(row);
    save.accept(rows);
  }
}
