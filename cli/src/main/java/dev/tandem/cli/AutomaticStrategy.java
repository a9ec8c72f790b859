package dev.tandem.cli;

import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.LayerNames;
import dev.tandem.oracle.projection.Projector;
import dev.tandem.oracle.projection.Term;
import dev.tandem.oracle.projection.Workload;
import dev.tandem.oracle.search.Advice;
import dev.tandem.oracle.search.Ranked;
import dev.tandem.oracle.search.Search;
import dev.tandem.oracle.search.SearchResult;
import dev.tandem.oracle.search.TrainingLine;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Chooses the strategy of a run on this machine: the fastest one by the oracle that fits into its
 * memory and that the rest of the configuration allows. Projections are made from a profile in the
 * working directory if there is one of this machine for as many processes, or else from a
 * description of its processor. Of a GPU there is no description: without a profile of it, ranks
 * share the samples.
 */
final class AutomaticStrategy {

  private static final int CONSIDERED = 24;

  /** Others that are named beside the one that is chosen. */
  private static final int NEXT = 2;

  /** Times that differ by less are the same. */
  private static final double ABOUT = 1.02;

  /** Samples of an epoch; it has no influence on which way is the fastest. */
  private static final long SAMPLES = 1_000_000;

  private final TrainingConfig config;
  private final int ranks;
  private final PrintWriter out;
  private final boolean gpu;

  private AutomaticStrategy(TrainingConfig config, int ranks, PrintWriter out) {
    this.config = config;
    this.ranks = ranks;
    this.out = out;
    gpu = config.chooseDevice().device().gpu();
  }

  /**
   * A configuration with the strategy that was chosen; says which and why.
   *
   * @param ranks processes of the run
   */
  static ConfigFile choose(ConfigFile file, int ranks, PrintWriter out) {
    if (ranks < 1) {
      throw new UsageException("-n must be at least 1, not " + ranks);
    }
    return new AutomaticStrategy(file.withoutData(), ranks, out).chosen(file);
  }

  private ConfigFile chosen(ConfigFile file) {
    if (!gpu) {
      return chosen(file, MachineBasis.of(ranks));
    }
    String device = config.startEngine(1, 0).description();
    MachineBasis.Measured measured = MachineBasis.Measured.of(ranks, device);
    if (measured.basis().isPresent()) {
      return chosen(file, measured.basis().get());
    }
    out.printf(
        "strategy: data, since %s: ./tandem profile NETWORK --device %s -n %d measures %s, by which"
            + " strategy auto then takes the fastest%n",
        measured.lacking(),
        config.compute().device().gpu() ? config.compute().device().name() : "cuda",
        ranks,
        device);
    out.flush();
    return file.with("strategy.mesh", "data", "--strategy auto");
  }

  private ConfigFile chosen(ConfigFile file, MachineBasis basis) {
    Workload workload = workload();
    SearchResult result =
        new Search(new Projector(workload, basis.environment(), Term.ALL), _ -> true, CONSIDERED)
            .over(ranks);
    List<Ranked> possible = new ArrayList<>();
    for (Ranked way : ways(result)) {
      if (possible.size() <= NEXT && with(file, way).isPresent()) {
        possible.add(way);
      }
    }
    if (possible.isEmpty()) {
      throw new UsageException(
          "strategy auto: no way to train on %d processes fits into the %s of this machine: use a"
                  .formatted(ranks, PlanTable.bytes((long) basis.memoryBytes()))
              + " smaller batch.global or another -n; ./tandem plan shows what each way needs");
    }
    Ranked best = possible.getFirst();
    out.printf(
        "strategy: %s, the fastest of %d ways on %d process%s by %s: %s per step, %s of %s"
            + " memory per process, limited by %s%n",
        PlanTable.name(best.projection()),
        result.considered(),
        ranks,
        ranks == 1 ? "" : "es",
        basis.name(),
        PlanTable.seconds(best.projection().iteration()),
        PlanTable.bytes(best.projection().memory().total()),
        PlanTable.bytes((long) basis.memoryBytes() / ranks),
        Advice.bottleneck(best.projection()));
    for (Ranked other : possible.subList(1, possible.size())) {
      out.printf(
          "    next: %s, %s per step%n",
          PlanTable.name(other.projection()), PlanTable.seconds(other.projection().iteration()));
    }
    out.flush();
    return with(file, best).orElseThrow();
  }

  /** The simplest of those that are about as fast as the fastest, then the others by time. */
  private static List<Ranked> ways(SearchResult result) {
    Set<Ranked> all = new LinkedHashSet<>(result.best());
    result.families().values().stream().filter(Ranked::fits).forEach(all::add);
    List<Ranked> ways = new ArrayList<>(all);
    ways.sort(Comparator.comparingDouble(way -> way.projection().iteration()));
    if (!ways.isEmpty()) {
      double enough = ways.getFirst().projection().iteration() * ABOUT;
      Ranked simplest =
          ways.stream()
              .filter(way -> way.projection().iteration() <= enough)
              .min(Comparator.comparingInt(way -> PlanTable.name(way.projection()).length()))
              .orElseThrow();
      ways.remove(simplest);
      ways.addFirst(simplest);
    }
    return ways;
  }

  /** The configuration with a way to train, if it allows that. */
  private Optional<ConfigFile> with(ConfigFile file, Ranked way) {
    ConfigFile changed =
        file.with(
            "strategy.mesh",
            TrainingLine.strategy(way.projection().candidate()),
            "--strategy auto");
    try {
      ConfigFile trained = changed.with(TrainingLine.settings(way.projection().candidate()));
      TrainingConfig checked = trained.withoutData();
      checked.checkRanks(ranks);
      boolean elsewhere = gpu && !checked.chooseDevice().device().gpu();
      return elsewhere ? Optional.empty() : Optional.of(trained);
    } catch (UsageException e) {
      return Optional.empty();
    }
  }

  private Workload workload() {
    Workload plain = Workload.of(config.network(), SAMPLES, config.batch().global());
    return new Workload(
        plain.network(),
        plain.epochSamples(),
        plain.batch(),
        plain.activations(),
        config.optimizer().valuesPerParameter(),
        LayerNames.matching(config.network(), config.fineTune().freeze()),
        false,
        false);
  }
}
