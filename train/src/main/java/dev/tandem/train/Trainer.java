package dev.tandem.train;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.Communicator;
import dev.tandem.core.PeerLostException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.order.Steps;
import dev.tandem.data.reuse.ReuseOrder;
import dev.tandem.sync.trace.StepMeter;
import dev.tandem.train.batch.BatchSizing;
import dev.tandem.train.config.TrainingConfig;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One rank's training. What a rank computes of a step and holds of the network is its {@link
 * DistributedStep}'s matter. All ranks call the same methods with the same configuration; they use
 * the calling thread and the loader's threads.
 */
public final class Trainer {

  /** What a rank trains with; all of it belongs to the caller. */
  public record Parts(
      Communicator communicator,
      RecordSource training,
      RecordSource test,
      DistributedStep step,
      CheckpointStore checkpoints,
      BatchSizing sizing) {}

  private final TrainingConfig config;
  private final Parts parts;
  private final Consumer<TrainingEvent> events;
  private final Steps steps;
  private final Optional<ReuseOrder> reuse;
  private RunProgress progress;
  private long restoredAfter = -1;
  private String restoredFrom = "the beginning";
  private Optional<BooleanSupplier> stop = Optional.empty();
  private Optional<StepMeter> meter = Optional.empty();
  private Optional<BooleanSupplier> finish = Optional.empty();
  private Optional<BooleanSupplier> leave = Optional.empty();
  private Optional<Consumer<SurvivingState>> lost = Optional.empty();
  private Consumer<BatchFeed> planned = feed -> {};

  /**
   * A rank of a run that has not begun.
   *
   * @param events called on rank 0 only
   */
  public Trainer(TrainingConfig config, Parts parts, Consumer<TrainingEvent> events) {
    this.config = config;
    this.parts = parts;
    this.events = parts.communicator().rank() == 0 ? events : event -> {};
    steps = BatchFeed.steps(config, parts.training(), config.batch().global());
    reuse =
        config
            .data()
            .reuse()
            .map(wanted -> wanted.order(steps, parts.communicator(), config.batch().sawTooth()));
    progress = RunProgress.start(config.batch().global());
  }

  /**
   * Continues from the newest good checkpoint; from the beginning if there is none.
   *
   * @return steps that are made already
   */
  public long resume() {
    SlicedState state = parts.step().restorable(parts.checkpoints());
    Optional<CheckpointStore.Restored> restored = parts.checkpoints().restoreNewest(state);
    if (restored.isPresent()) {
      parts.step().restored();
      RunProgress saved = RunProgress.of(restored.get().values(), steps, reuse);
      progress = saved.withBatch(batch(saved.batch()));
      parts.sizing().restore(progress.sizing());
      restoredAfter = restored.get().step();
      restoredFrom = restored.get().place();
    }
    return progress.position().step();
  }

  /** The batch after a checkpoint with this one: that of the configuration unless it grows. */
  private int batch(int saved) {
    if (reuse.isEmpty() && parts.sizing().equals(BatchSizing.FIXED)) {
      return config.batch().global();
    }
    return config.batch().grow().isPresent() ? Math.min(saved, config.batch().most()) : saved;
  }

  /** Where the state that the run continues with comes from, for a person to read. */
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
   * reports which rank held the others up. All ranks have one, or none.
   */
  public Trainer watchedBy(StepMeter watching) {
    meter = Optional.of(watching);
    return this;
  }

  /**
   * Lets the run end before its end, but in the same way: after the step in which any rank is asked
   * to finish, all evaluate and save, and {@link #run} gives the result. All ranks are given a
   * question, or none.
   */
  Trainer finishWhen(BooleanSupplier asked) {
    finish = Optional.of(asked);
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

  /** Lets a rank that another one was lost to save what it holds, before {@link #run} fails. */
  Trainer whenLost(Consumer<SurvivingState> saving) {
    lost = Optional.of(saving);
    return this;
  }

  /** Gets the batches of the run before the first of them. */
  Trainer whenPlanned(Consumer<BatchFeed> asked) {
    planned = asked;
    return this;
  }

  /** Whether {@link #resume} has found a checkpoint. */
  boolean restored() {
    return restoredAfter >= 0;
  }

  /** Trains to the end; a lost rank ends it with {@link dev.tandem.core.PeerLostException}. */
  public TrainingEvent.Result run() {
    Phases phases = new Phases();
    parts.step().begin(phases);
    try (BatchFeed feed =
        new BatchFeed(
            config, parts, reuse, progress.position(), progress.batch(), progress.share())) {
      planned.accept(feed);
      StepWatch watch = new StepWatch(meter, phases, parts.communicator(), feed);
      TrainingLoop loop =
          new TrainingLoop(
              config,
              parts,
              events,
              phases,
              new LossGuard(config.guard(), progress.smoothedLoss()),
              feed,
              new Rates(config, steps, feed.uses()),
              new StopRequests(stop, finish, leave, watch.due()),
              watch);
      try {
        return loop.run(progress.best(), restoredAfter);
      } catch (PeerLostException e) {
        lost.ifPresent(saving -> loop.surviving().ifPresent(saving));
        throw e;
      }
    }
  }
}
