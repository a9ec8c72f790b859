package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.TensorView;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.sync.GradientSynchronizer;
import dev.tandem.sync.compress.Volume;
import dev.tandem.sync.policy.Policy;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.trace.StepMeter;
import dev.tandem.sync.trace.Timeline;
import dev.tandem.train.config.StrategyConfig;
import dev.tandem.train.config.SynchronisationConfig;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Sums the gradients of a rank, each over the ranks that have other samples, or another part of
 * space, for its parameter: one synchroniser for each such group. Gradients that no other rank adds
 * to stay as they are. All ranks start and close theirs at the same time.
 */
final class GradientGroups implements GradientSums {

  private final List<WatchedSynchronizer> owned = new ArrayList<>();
  private final List<GradientSynchronizer> all = new ArrayList<>();
  private final Map<String, GradientSynchronizer> byParameter = new HashMap<>();
  private final BatchStatistics statistics;

  private GradientGroups(StepContext context, StepMeter meter, Path run) {
    RankGroups groups = context.groups();
    Map<String, Set<String>> axes = new TreeMap<>(); // in the same order on all ranks
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    Map<String, GradientSynchronizer> planned = new HashMap<>();
    GradientGraph network = context.network().gradientGraph();
    for (GradientGraph.Parameter parameter : network.parameters()) {
      Set<String> along = groups.sumAxes(parameter.name());
      if (!along.isEmpty() || groups.all().size() == 1) {
        String key = groups.mesh().sorted(along).toString();
        axes.put(key, along);
        parameters.computeIfAbsent(key, _ -> new ArrayList<>()).add(parameter.name());
      }
    }
    axes.forEach(
        (key, along) -> {
          List<String> names = parameters.get(key);
          boolean withStatistics =
              plansStatistics(context.config()) && along.equals(Set.of(Mesh.DATA));
          Optional<Communicator> neighbours =
              context.config().strategy().gradients() == StrategyConfig.GradientSums.LEADER
                  ? groups.gradientsBeforeData(names.getFirst())
                  : Optional.empty();
          GradientSynchronizer each =
              neighbours.isPresent()
                  ? new LeaderSums(neighbours.get(), groups.data())
                  : watched(
                      context,
                      groups.gradients(along),
                      Set.copyOf(names),
                      withStatistics,
                      meter,
                      run);
          all.add(each);
          names.forEach(name -> byParameter.put(name, each));
          if (withStatistics) {
            network.parameters().stream()
                .filter(parameter -> names.contains(parameter.name()))
                .forEach(parameter -> planned.put(parameter.node(), each));
          }
        });
    statistics = new BatchStatistics(groups, planned);
  }

  /**
   * Whether statistics have places in a plan: one that is made from the graph of the step. By other
   * policies they would wait for negotiations or for full buckets.
   */
  private static boolean plansStatistics(TrainingConfig config) {
    SynchronisationConfig chosen = config.synchronisation();
    return config.determinism().synchronisedBatchNorm()
        && !config.strategy().mesh().pipelined() // passes of pieces overlap
        && !chosen.automatic()
        && SyncOptions.of(chosen.policy()).policy() instanceof Policy.Topological;
  }

  @Override
  public BatchStatistics statistics() {
    return statistics;
  }

  /** The first is measured, and traced if the configuration asks for it. */
  private GradientSynchronizer watched(
      StepContext context,
      Communicator ranks,
      Set<String> names,
      boolean withStatistics,
      StepMeter meter,
      Path run) {
    owned.add(
        WatchedSynchronizer.start(
            context,
            ranks,
            names,
            withStatistics,
            owned.isEmpty() ? Optional.of(meter) : Optional.empty(),
            run));
    return owned.getLast().synchronizer();
  }

  /** Starts the synchronisers of a configuration. */
  static GradientGroups start(StepContext context, StepMeter meter, Path run) {
    return new GradientGroups(context, meter, run);
  }

  @Override
  public Optional<Timeline> timeline() {
    return owned.stream().findFirst().flatMap(WatchedSynchronizer::timeline);
  }

  @Override
  public void submit(TensorView gradient, float weight) {
    GradientSynchronizer group = byParameter.get(gradient.name());
    if (group != null) {
      group.submit(gradient, weight);
    }
  }

  @Override
  public void await() {
    all.forEach(GradientSynchronizer::await);
  }

  @Override
  public List<TensorView> residuals() {
    return all.stream().flatMap(each -> each.residuals().stream()).toList();
  }

  @Override
  public void undo() {
    all.forEach(GradientSynchronizer::undo);
  }

  @Override
  public Volume volume() {
    return all.stream()
        .map(GradientSynchronizer::volume)
        .reduce(
            Volume.NONE,
            (one, other) ->
                new Volume(
                    one.tensorBytes() + other.tensorBytes(),
                    one.payloadBytes() + other.payloadBytes()));
  }

  @Override
  public void close() {
    owned.reversed().forEach(WatchedSynchronizer::close);
  }
}
