package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Network;
import dev.tandem.sync.GradientSynchronizer;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.agent.SyncObserver;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.plan.TrainingGraph;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.request.GradientRule;
import dev.tandem.sync.trace.StepMeter;
import dev.tandem.sync.trace.Timeline;
import dev.tandem.sync.tune.AutoSynchronizer;
import dev.tandem.train.config.SynchronisationConfig;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The synchroniser of a training rank, with its observers: a meter always, a timeline if the
 * configuration asks for one. All ranks start and close theirs at the same time.
 */
final class WatchedSynchronizer implements AutoCloseable {

  private final Optional<Timeline> timeline;
  private final GradientSynchronizer synchronizer;
  private final Runnable closing;

  private WatchedSynchronizer(
      StepContext context,
      Communicator ranks,
      Set<String> parameters,
      boolean withStatistics,
      Optional<StepMeter> meter,
      Path run) {
    TrainingConfig config = context.config();
    Network network = context.network();
    SynchronisationConfig chosen = config.synchronisation();
    boolean traced = meter.isPresent() && ranks == context.groups().all();
    timeline = chosen.timelineOf(run).filter(_ -> traced).map(file -> Timeline.begin(ranks, file));
    List<SyncObserver> observers = new ArrayList<>(meter.stream().toList());
    timeline.ifPresent(observers::add);
    GradientRule rule = config.gradients().rule();
    rule.compression().requireMeaning(network.gradients().stream().map(TensorView::name).toList());
    GradientGraph all = network.gradientGraph();
    GradientGraph summed =
        new GradientGraph(
            all.nodes(),
            all.parameters().stream().filter(each -> parameters.contains(each.name())).toList());
    RequestGraph graph =
        withStatistics
            ? TrainingGraph.withStatistics(summed, rule, config.batch().accumulation())
            : TrainingGraph.of(summed, rule);
    Function<SyncOptions, Synchronizer> starter =
        options ->
            Synchronizer.over(ranks, options)
                .treating(rule)
                .planning(graph)
                .gradients(
                    network.gradientBuffer(),
                    network.gradients().stream()
                        .filter(each -> parameters.contains(each.name()))
                        .toList())
                .observedBy(SyncObserver.all(observers))
                .start();
    if (chosen.automatic()) {
      AutoSynchronizer automatic =
          AutoSynchronizer.start(ranks, graph, chosen.tunedFolder(), starter, System.err::println);
      synchronizer = automatic;
      closing = automatic::close;
    } else {
      Synchronizer fixed = starter.apply(SyncOptions.of(chosen.policy()));
      synchronizer = fixed;
      closing = fixed::close;
    }
  }

  /**
   * Starts the synchroniser of a configuration.
   *
   * @param ranks that sum
   * @param parameters whose gradients they sum
   * @param withStatistics whether its plan has places for the statistics of their batch
   *     normalisations
   * @param meter sees what it does, if this one is measured
   */
  static WatchedSynchronizer start(
      StepContext context,
      Communicator ranks,
      Set<String> parameters,
      boolean withStatistics,
      Optional<StepMeter> meter,
      Path run) {
    return new WatchedSynchronizer(context, ranks, parameters, withStatistics, meter, run);
  }

  /** The trace, if there is one. */
  Optional<Timeline> timeline() {
    return timeline;
  }

  GradientSynchronizer synchronizer() {
    return synchronizer;
  }

  @Override
  public void close() {
    try {
      closing.run();
    } finally {
      timeline.ifPresent(Timeline::close);
    }
  }
}
