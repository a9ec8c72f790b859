package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.Determinism;
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
import java.util.function.Function;

/**
 * The synchroniser of a training rank, with those who watch it: a meter always, a timeline if the
 * configuration asks for one. All ranks start and close theirs at the same time.
 */
final class WatchedSynchronizer implements AutoCloseable {

  /** How the names of the loader's threads begin. */
  private static final String INPUT_THREADS = "loader-";

  private final StepMeter meter = new StepMeter(INPUT_THREADS);
  private final Optional<Timeline> timeline;
  private final GradientSynchronizer synchronizer;
  private final Runnable closing;

  private WatchedSynchronizer(
      TrainingConfig config, Communicator communicator, Network network, Path run) {
    SynchronisationConfig chosen = config.synchronisation();
    timeline = chosen.timelineOf(run).map(file -> Timeline.begin(communicator, file));
    List<SyncObserver> observers = new ArrayList<>(List.of(meter));
    timeline.ifPresent(observers::add);
    Communicator ranks = communicator.at(level(config));
    GradientRule rule = config.gradients().rule();
    rule.compression().requireMeaning(network.gradients().stream().map(TensorView::name).toList());
    RequestGraph graph = TrainingGraph.of(network.gradientGraph(), rule);
    Function<SyncOptions, Synchronizer> starter =
        options ->
            Synchronizer.over(ranks, options)
                .treating(rule)
                .planning(graph)
                .gradients(network.gradientBuffer(), network.gradients())
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

  /** Starts the synchroniser of a configuration. */
  static WatchedSynchronizer start(
      TrainingConfig config, Communicator communicator, Network network, Path run) {
    return new WatchedSynchronizer(config, communicator, network, run);
  }

  private static Determinism level(TrainingConfig config) {
    return switch (config.determinism().level()) {
      case FAST -> Determinism.FAST;
      case RUN, ELASTIC -> Determinism.RUN;
    };
  }

  GradientSynchronizer synchronizer() {
    return synchronizer;
  }

  StepMeter meter() {
    return meter;
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
