package dev.tandem.train;

import dev.tandem.comm.Communicator;
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
 * The synchroniser of a training rank, with its observers: a meter always, a timeline if the
 * configuration asks for one. All ranks start and close theirs at the same time.
 */
final class WatchedSynchronizer implements AutoCloseable {

  private final Optional<Timeline> timeline;
  private final GradientSynchronizer synchronizer;
  private final Runnable closing;

  private WatchedSynchronizer(StepContext context, StepMeter meter, Path run) {
    TrainingConfig config = context.config();
    Network network = context.network();
    Communicator ranks = context.communicator();
    SynchronisationConfig chosen = config.synchronisation();
    timeline = chosen.timelineOf(run).map(file -> Timeline.begin(ranks, file));
    List<SyncObserver> observers = new ArrayList<>(List.of(meter));
    timeline.ifPresent(observers::add);
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
  static WatchedSynchronizer start(StepContext context, StepMeter meter, Path run) {
    return new WatchedSynchronizer(context, meter, run);
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
