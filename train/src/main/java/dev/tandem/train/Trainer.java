package dev.tandem.train;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.core.Seed;
import dev.tandem.data.RecordSource;
import dev.tandem.data.order.Steps;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.sync.GradientSynchronizer;
import dev.tandem.sync.trace.StepMeter;
import dev.tandem.train.batch.BatchSizing;
import dev.tandem.train.config.DeterminismConfig;
import dev.tandem.train.config.GuardConfig;
import dev.tandem.train.config.OptimizerConfig;
import dev.tandem.train.config.ServersConfig;
import dev.tandem.train.config.TrainingConfig;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One rank's training, data-parallel: every rank computes the gradients of its share of a step's
 * samples, all gradients are summed, every rank makes the same update. All ranks call the same
 * methods with the same configuration; they use the calling thread and the loader's threads.
 */
public final class Trainer {

  /** What a rank trains with; all of it belongs to the caller. */
  public record Parts(
      Communicator communicator,
      RecordSource training,
      RecordSource test,
      Network network,
      Optimizer optimizer,
      GradientSynchronizer synchronizer,
      CheckpointStore checkpoints,
      BatchSizing sizing) {

    /** Parts of a run whose batch does not change. */
    public Parts(
        Communicator communicator,
        RecordSource training,
        RecordSource test,
        Network network,
        Optimizer optimizer,
        GradientSynchronizer synchronizer,
        CheckpointStore checkpoints) {
      this(
          communicator,
          training,
          test,
          network,
          optimizer,
          synchronizer,
          checkpoints,
          BatchSizing.FIXED);
    }
  }

  private final TrainingConfig config;
  private final Parts parts;
  private final Consumer<TrainingEvent> events;
  private final Steps steps;
  private RunProgress progress;
  private long restoredAfter = -1;
  private String restoredFrom = "the beginning";
  private Optional<BooleanSupplier> stop = Optional.empty();
  private Optional<StepMeter> meter = Optional.empty();
  private Optional<BooleanSupplier> leave = Optional.empty();

  /**
   * A rank of a run that has not begun.
   *
   * @param events told on rank 0; elsewhere nothing is told
   */
  public Trainer(TrainingConfig config, Parts parts, Consumer<TrainingEvent> events) {
    config.checkRanks(parts.communicator().size());
    this.config = config;
    this.parts = parts;
    this.events = parts.communicator().rank() == 0 ? events : event -> {};
    steps = BatchFeed.steps(config, parts.training(), config.batch().global());
    progress = RunProgress.start(config.batch().global());
  }

  /**
   * Goes on from the newest good checkpoint; from the beginning if there is none.
   *
   * @return steps that are made already
   */
  public long resume() {
    SlicedState state = RunState.of(parts).restorable(parts.checkpoints());
    Optional<CheckpointStore.Restored> restored = parts.checkpoints().restoreNewest(state);
    if (restored.isPresent()) {
      progress = RunProgress.of(restored.get().values(), steps);
      parts.sizing().restore(progress.sizing());
      restoredAfter = restored.get().step();
      restoredFrom = restored.get().place();
    }
    return progress.position().step();
  }

  /** Where the state is from that the run goes on with, for a person to read. */
  String restoredFrom() {
    return restoredFrom;
  }

  /**
   * Lets the run end before its end: after the step in which any rank is asked to stop, all save
   * and {@link #run} fails with a line that says where. All ranks are given a question, or none.
   */
  public Trainer stopWhen(BooleanSupplier asked) {
    stop = Optional.of(asked);
    return this;
  }

  /**
   * Lets a meter, which observes the synchroniser, know of the steps: after each validation rank 0
   * tells who held the others up. All ranks have one, or none.
   */
  public Trainer watchedBy(StepMeter watching) {
    meter = Optional.of(watching);
    return this;
  }

  /**
   * Lets the ranks meet others that wait to join: after the step in which any rank is asked to
   * leave, all save and {@link #run} fails with {@link GenerationEndedException}. All ranks are
   * given a question, or none.
   */
  Trainer leaveWhen(BooleanSupplier asked) {
    leave = Optional.of(asked);
    return this;
  }

  /** Trains to the end; a lost rank ends it with {@link dev.tandem.core.PeerLostException}. */
  public TrainingEvent.Result run() {
    Phases phases = new Phases();
    try (DistributedStep work = work(phases);
        LossGuard guard = new LossGuard(guards(), parts.network(), progress.smoothedLoss());
        BatchFeed feed =
            new BatchFeed(config, parts.training(), work, progress.position(), progress.batch())) {
      Rates rates = new Rates(config, steps);
      StepWatch watch = new StepWatch(meter, phases);
      StopRequests requests = new StopRequests(stop, leave);
      return new TrainingLoop(
              config, parts, events, phases, work, guard, feed, rates, requests, watch)
          .run(progress.best(), restoredAfter);
    }
  }

  private DistributedStep work(Phases phases) {
    DeterminismConfig determinism = config.determinism();
    Seed seed = new Seed(config.seed()).derive("dropout");
    return switch (determinism.level()) {
      case FAST -> fast(parts.communicator().at(Determinism.FAST), seed, phases);
      case RUN ->
          shares(parts.communicator().at(Determinism.RUN), parts.synchronizer(), seed, phases);
      case ELASTIC ->
          new ElasticStep(
              parts.communicator(),
              parts.network(),
              seed,
              determinism.shards(),
              determinism.synchronisedBatchNorm(),
              phases);
    };
  }

  private DistributedStep fast(Communicator communicator, Seed seed, Phases phases) {
    return config.servers().isPresent()
        ? served(communicator, config.servers().get(), seed, phases)
        : shares(communicator, parts.synchronizer(), seed, phases);
  }

  private DistributedStep served(
      Communicator communicator, ServersConfig servers, Seed seed, Phases phases) {
    return new ServerStep(
        communicator,
        parts.network(),
        shares(communicator, new ServerStep.Unsynchronized(), seed, phases),
        new ServedParameters(
            communicator,
            servers.layout(communicator),
            servers.staleness(),
            (OptimizerConfig.Sgd) config.optimizer(), // as the configuration has checked
            parts.network(),
            parts.optimizer()),
        phases,
        System.err::println);
  }

  /** Servers get the terms of a sum: if each is so short, the sum is not too long. */
  private GuardConfig guards() {
    GuardConfig guard = config.guard();
    return config.servers().isPresent()
        ? new GuardConfig(
            guard.clip() / parts.communicator().size(), guard.lossSpike(), guard.spikeAfter())
        : guard;
  }

  private DataParallelStep shares(
      Communicator communicator, GradientSynchronizer synchronizer, Seed seed, Phases phases) {
    return new DataParallelStep(
        communicator,
        parts.network(),
        synchronizer,
        seed,
        config.batch().accumulation(),
        config.gradients().rule().reduction(),
        config.determinism().synchronisedBatchNorm(),
        phases);
  }
}
