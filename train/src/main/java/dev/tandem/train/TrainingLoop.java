package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.StoppedException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.StallReport;
import dev.tandem.data.order.Position;
import dev.tandem.nn.Evaluation;
import dev.tandem.sync.compress.Volume;
import dev.tandem.train.Phases.Phase;
import dev.tandem.train.batch.BatchObservation;
import dev.tandem.train.config.CheckpointConfig;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The loop itself and what happens between steps. One thread; used once. */
final class TrainingLoop {

  private final TrainingConfig config;
  private final Trainer.Parts parts;
  private final Communicator communicator;
  private final DistributedStep step;
  private final Consumer<TrainingEvent> events;
  private final Phases phases;
  private final LossGuard guard;
  private final BatchFeed feed;
  private final Rates rates;
  private final StopRequests requests;
  private final StepWatch watch;
  private final LayerWatch layers;
  private final SaveTimes saveTimes;
  private final Map<String, String> provenance;
  private final long firstSample;
  private BestModel best = BestModel.NONE;
  private Evaluation test = Evaluation.NONE;
  private long testedAfter = -1;
  private long savedAfter = -1;
  private boolean finished;
  private Optional<Path> saved = Optional.empty();
  private StepTimes reported = StepTimes.NONE;

  /** Where the state is complete on this rank, if it is now. */
  private Optional<Position> complete = Optional.empty();

  /** Whether a step has begun whose update has not. */
  private boolean unfinished;

  TrainingLoop(
      TrainingConfig config,
      Trainer.Parts parts,
      Consumer<TrainingEvent> events,
      Phases phases,
      LossGuard guard,
      BatchFeed feed,
      Rates rates,
      StopRequests requests,
      StepWatch watch) {
    this.requests = requests;
    this.watch = watch;
    this.config = config;
    this.parts = parts;
    this.communicator = parts.communicator();
    this.step = parts.step();
    this.events = events;
    this.phases = phases;
    this.guard = guard;
    this.feed = feed;
    this.rates = rates;
    this.layers =
        new LayerWatch(phases, communicator.rank() == 0 && !config.chooseDevice().device().gpu());
    this.saveTimes = SaveTimes.of(config.checkpoint(), communicator, feed.position().step());
    this.provenance = RunProvenance.values(config);
    this.firstSample = feed.position().sample();
  }

  /**
   * Trains to the end.
   *
   * @param restoredAfter the step of the checkpoint that the run continues from; negative if none
   */
  TrainingEvent.Result run(BestModel before, long restoredAfter) {
    best = before;
    savedAfter = restoredAfter;
    while (feed.hasNext() && !finished && !best.exhausted(config.validation())) {
      long began = System.nanoTime();
      Batch batch = phases.in(Phase.READ, feed::next); // images: count x C x H x W
      watch.computes();
      layers.begins();
      complete = Optional.of(batch.position());
      unfinished = true;
      double loss = step.run(batch, batch.position().step()); // and the gradients, of all ranks
      double norm = phases.in(Phase.UPDATE, () -> step.clip(guard.longest()));
      stopIfTroubled(batch, loss, norm);
      complete = Optional.empty();
      unfinished = false;
      double rate = rates.at(batch.position(), feed.batchOf(batch));
      phases.in(Phase.UPDATE, () -> step.update(rate));
      phases.addTraining(System.nanoTime() - began);
      watch.ended();
      between(batch, loss, rate, norm);
      stopIfAsked();
    }
    return finish();
  }

  /** Whichever rank was asked, all ranks stop, or leave, after the same step. */
  private void stopIfAsked() {
    if (!feed.hasNext()) {
      return;
    }
    Position now = feed.position();
    StopRequests.Decision decision = step.afterStep(requests);
    switch (decision.outcome()) {
      case CONTINUE -> {}
      case REPORT -> watch.collect(now.step()).forEach(events);
      case STOP -> {
        if (requests.leave().isPresent()) {
          keepIfPossible(now);
          step.finish();
          throw new GenerationEndedException(now.step());
        }
        String kept = keep(now);
        step.finish();
        throw new StoppedException(
            "stopped as asked after step %d; --resume continues from %s"
                .formatted(now.step(), kept));
      }
      case FAIL -> {
        String kept = keep(now);
        step.finish();
        throw new WorkFailedException(
            "stopped after step %d, %s; --resume continues from %s"
                .formatted(now.step(), decision.reason(), kept));
      }
      case FINISH -> finished = true;
      case LEAVE -> {
        save(now);
        awaitSaved();
        throw new GenerationEndedException(now.step());
      }
    }
  }

  /**
   * What could not be saved was reported already; it is done again after the last good checkpoint.
   */
  private void awaitSaved() {
    try {
      parts.checkpoints().await();
    } catch (WorkFailedException e) {
      savedAfter = -1;
    }
  }

  /** As {@link #awaitSaved}, on disk: what is in memory goes with the ranks that end. */
  private void keepIfPossible(Position now) {
    try {
      var _ = keep(now);
    } catch (WorkFailedException e) {
      savedAfter = -1;
    }
  }

  /** What is wrong never reaches the parameters: they are those of the last good step. */
  private void stopIfTroubled(Batch batch, double loss, double norm) {
    Position position = batch.position();
    Optional<String> trouble = guard.trouble(position.step() + 1, loss, norm, step::gradients);
    if (trouble.isPresent()) {
      if (step.discard(trouble.get())) {
        return;
      }
      throw new WorkFailedException(
          "%s. Lower schedule.rate or set guard.clip; the state before this step is kept in %s"
              .formatted(trouble.get(), keep(position)));
    }
  }

  /** After a step: report, validate, choose the next batch, save. */
  private void between(Batch batch, double loss, double rate, double norm) {
    Position now = feed.position();
    long epoch = feed.epochSamples();
    events.accept(stepEvent(batch, loss, rate, norm));
    layers.ended(now.step()).ifPresent(events);
    boolean epochEnded = now.sample() / epoch > batch.position().sample() / epoch;
    boolean better = false;
    if (epochEnded && (feed.epochs() % config.validation().everyEpochs() == 0 || !feed.hasNext())) {
      BestModel before = best;
      validate();
      better = best.step() != before.step();
    }
    feed.resize(parts.sizing().next(observation(epochEnded, loss, rate)));
    complete = Optional.of(now);
    if (saveTimes.due(now.step()) || (better && config.checkpoint().best())) {
      save(now);
    }
  }

  private TrainingEvent.Step stepEvent(Batch batch, double loss, double rate, double norm) {
    Position now = feed.position();
    double right = step.accuracy();
    StepTimes times = StepTimes.of(phases);
    StepTimes own = times.minus(reported);
    reported = times;
    return new TrainingEvent.Step(
        now.step(),
        now.sample(),
        feed.samplesAtEnd(),
        loss,
        rate,
        norm,
        feed.batchOf(batch),
        Double.isNaN(right) ? null : (float) right,
        StepTimes.millis(own.training() + own.save()),
        StepTimes.millis(own.read()),
        StepTimes.millis(own.forward()),
        StepTimes.millis(own.backward()),
        StepTimes.millis(own.sync()),
        StepTimes.millis(own.update()),
        StepTimes.millis(own.save()));
  }

  private BatchObservation observation(boolean epochEnded, double loss, double rate) {
    Position now = feed.position();
    return new BatchObservation(
        now.step(), feed.epochs(), epochEnded, now.sample(), loss, rate, feed.batch());
  }

  private void validate() {
    long made = feed.position().step();
    complete = Optional.empty();
    step.agree();
    long began = System.nanoTime();
    test = step.evaluate(parts.test());
    phases.add(Phase.VALIDATE, System.nanoTime() - began);
    testedAfter = made;
    best =
        best.after(
            config.regression() ? -test.meanLoss() : test.accuracy(), made, config.validation());
    events.accept(TrainingEvent.Epoch.of(feed.epochs(), made, test, step.classes()));
    StallReport stalls = feed.stalls();
    events.accept(new TrainingEvent.Loading(made, stalls.bottleneck(), stalls));
    watch.report(made).ifPresent(events);
    watch.collect(made).forEach(events);
  }

  /** Of the last validation; not a number if there is none because targets are values. */
  private double accuracy() {
    return config.regression() ? Double.NaN : test.accuracy();
  }

  /** Saves the state as it is before the step at this position, if it is not saved yet. */
  private void save(Position position) {
    if (savedAfter != position.step()) {
      long began = System.nanoTime();
      complete = Optional.empty();
      step.agree();
      complete = Optional.of(position);
      saved =
          Optional.of(
              parts.checkpoints().save(position.step(), step.stateToSave(values(position))));
      savedAfter = position.step();
      long stall = System.nanoTime() - began;
      phases.add(Phase.SAVE, stall);
      saveTimes.saved(position.step(), stall / 1e9, parts.checkpoints().writeSeconds());
    }
  }

  /**
   * Sees to it that the state is at every level, on disk; gives the place, if this run has saved
   * anything.
   */
  private String keep(Position position) {
    long began = System.nanoTime();
    if (savedAfter != position.step()) {
      step.agree();
    }
    saved = parts.checkpoints().keep(position.step(), step.state(values(position))).or(() -> saved);
    savedAfter = position.step();
    phases.add(Phase.SAVE, System.nanoTime() - began);
    return saved.map(Path::toString).orElse("");
  }

  /**
   * Another rank was lost: what this one holds, if it is the whole state as it was between two
   * steps. Asks no rank.
   */
  Optional<SurvivingState> surviving() {
    return complete.flatMap(
        position ->
            step.aloneState(values(position), unfinished)
                .map(state -> new SurvivingState(position.step(), state)));
  }

  private Map<String, String> values(Position position) {
    RunProgress progress =
        new RunProgress(
            position,
            feed.batch(),
            guard.smoothedLoss(),
            best,
            parts.sizing().save(),
            feed.shared(position));
    Map<String, String> values =
        progress.values(
            feed.steps(), feed.reuse(), position.sample() / feed.epochSamples(), config.seed());
    values.putAll(provenance);
    if (testedAfter == position.step()) {
      values.put(CheckpointConfig.LOSS, Double.toString(test.meanLoss()));
      if (!config.regression()) {
        values.put(CheckpointConfig.ACCURACY, Double.toString(test.accuracy()));
      }
    }
    return values;
  }

  private TrainingEvent.Result finish() {
    Position end = feed.position();
    if (testedAfter != end.step()) {
      validate();
    }
    String checkpoint = keep(end);
    Replicas replicas = step.replicas();
    Volume volume = step.volume();
    long samples = end.sample() - firstSample;
    TrainingEvent.Result result =
        new TrainingEvent.Result(
            accuracy(),
            test.meanLoss(),
            config.regression() ? Double.NaN : best.score(),
            config.regression() ? -best.score() : Double.NaN,
            RegressionScores.of(test),
            best.step(),
            finished || best.exhausted(config.validation()),
            phases.trainingSeconds() == 0 ? 0 : samples / phases.trainingSeconds(),
            communicator.size(),
            replicas.identical(),
            replicas.digest(),
            end.step(),
            phases.trainingSeconds(),
            phases.seconds(Phase.READ),
            phases.computeNanos() / 1e9,
            phases.seconds(Phase.SYNC),
            volume.tensorBytes(),
            volume.payloadBytes(),
            phases.seconds(Phase.SAVE),
            step.mostTensorBytes(),
            checkpoint);
    events.accept(result);
    if (communicator.rank() == 0) {
      feed.reuseReport().ifPresent(report -> System.err.println("rank 0: " + report.sentence()));
    }
    step.finish();
    return result;
  }
}
