package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.BatchSource;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.RecordPreparation;
import dev.tandem.data.load.StallReport;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Steps;
import dev.tandem.data.reuse.ReuseFeed;
import dev.tandem.data.reuse.ReuseMeter;
import dev.tandem.data.reuse.ReuseOrder;
import dev.tandem.data.reuse.ReuseReport;
import dev.tandem.data.share.SharedSamples;
import dev.tandem.train.config.TrainingConfig;
import java.util.Optional;

/**
 * One rank's batches from a position to the end of the run. The size of the batch may change on the
 * way: the order of samples continues where it was. One thread.
 */
final class BatchFeed implements AutoCloseable {

  private final TrainingConfig config;
  private final RecordSource source;
  private final DistributedStep step;
  private final Communicator communicator;
  private final Optional<ReuseOrder> reuse;
  private final Optional<ReuseMeter> meter;
  private final Optional<SharedInput> share;
  private Steps steps;
  private BatchSource loader;

  /** Batches of this size from this position on, for this kind of step. */
  BatchFeed(
      TrainingConfig config,
      Trainer.Parts parts,
      Optional<ReuseOrder> reuse,
      Position from,
      int batch,
      Optional<String> sharedBefore) {
    this.config = config;
    this.source = parts.training();
    this.step = parts.step();
    this.communicator = parts.communicator();
    this.reuse = reuse;
    this.meter = reuse.map(order -> new ReuseMeter(order.places()));
    share =
        config
            .data()
            .share()
            .map(_ -> SharedInput.join(config, source, communicator.rank(), sharedBefore));
    boolean elsewhere =
        sharedBefore
            .filter(taken -> !SharedSamples.inOrder(steps(config, source, 1).order(), from, taken))
            .isPresent();
    if (share.isEmpty() && elsewhere) {
      throw new UsageException(
          "this run has taken samples of a share at its own pace: continue it with data.share");
    }
    begin(from, batch);
  }

  /** The steps of a configuration over a source, with this batch. */
  static Steps steps(TrainingConfig config, RecordSource source, int batch) {
    SampleOrder order =
        new SampleOrder(new Seed(config.dataSeed()), source.size(), config.data().shuffle());
    return new Steps(order, batch, config.data().epochEnd());
  }

  private void begin(Position from, int batch) {
    steps = steps(config, source, batch);
    step.check(smallestStep(from));
    RecordPreparation preparation = config.trainingPreparation();
    Plan plan = step.plan(from, stepsLeft(from));
    LoaderOptions options =
        config
            .data()
            .loader()
            .withVirtual(config.synchronisation().sharesPool())
            .withMemory(step::sampleArena);
    BatchSource batches =
        share.isPresent()
            ? step.input()
                .open(
                    () -> share.get().open(steps, plan, options), preparation, plan, step.pieces())
            : reuse.isPresent()
                ? step.input()
                    .open(
                        own ->
                            new ReuseFeed(
                                source, reuse.get(), own, communicator, meter.orElseThrow()),
                        preparation,
                        plan,
                        options,
                        step.pieces())
                : step.input().open(source, steps, preparation, plan, options, step.pieces());
    loader = step.ahead(batches);
  }

  private long stepsLeft(Position from) {
    long left =
        reuse.isPresent()
            ? reuse.get().stepsFor(config.epochs()) - from.step()
            : freshStepsLeft(from);
    return config.mostSteps() == 0
        ? left
        : Math.min(left, Math.max(0, config.mostSteps() - from.step()));
  }

  /** Steps of the whole run, if the batch stays as it is. */
  long stepsAtEnd() {
    return position().step() + stepsLeft(position());
  }

  /** Samples that the whole run has, over all ranks, if the batch stays as it is. */
  long samplesAtEnd() {
    long all = config.epochs() * epochSamples();
    long left = config.mostSteps() - position().step();
    return config.mostSteps() == 0 ? all : Math.min(all, samplesAfter(left));
  }

  private long samplesAfter(long more) {
    long sample = position().sample();
    long batch = batch();
    if (steps.epochEnd() == EpochEnd.CIRCULAR || reuse.isPresent()) {
      return sample + more * batch;
    }
    long size = source.size();
    long thisEpoch = Math.ceilDiv(size - sample % size, batch);
    if (more < thisEpoch) {
      return sample + more * batch;
    }
    long later = more - thisEpoch;
    long perEpoch = Math.ceilDiv(size, batch);
    return sample - sample % size + size * (1 + later / perEpoch) + later % perEpoch * batch;
  }

  private long freshStepsLeft(Position from) {
    long batch = steps.globalBatch();
    long size = source.size();
    long samples = Math.max(0, config.epochs() * size - from.sample());
    return switch (steps.epochEnd()) {
      case CIRCULAR -> Math.ceilDiv(samples, batch);
      case EXACT ->
          samples / size * Math.ceilDiv(size, batch) + Math.ceilDiv(samples % size, batch);
    };
  }

  /** What is left for the last step of this epoch, or of a later one. */
  private long smallestStep(Position from) {
    long batch = steps.globalBatch();
    if (steps.epochEnd() == EpochEnd.CIRCULAR) {
      return batch;
    }
    long later = source.size() % batch;
    long now = reuse.isPresent() ? later : (source.size() - from.sample() % source.size()) % batch;
    return Math.min(now == 0 ? batch : now, later == 0 ? batch : later);
  }

  boolean hasNext() {
    return loader.hasNext();
  }

  /** The next step's samples; valid until the following call. */
  Batch next() {
    return loader.next();
  }

  /** Batches that are ready to be taken. */
  int ready() {
    return loader.ready();
  }

  /** Where the next step begins. */
  Position position() {
    return loader.position();
  }

  /** How steps are cut at present. */
  Steps steps() {
    return steps;
  }

  /** Samples of a step, over all ranks, before any growth from pass to pass. */
  int batch() {
    return steps.globalBatch();
  }

  /** Samples that this step was planned to have over all ranks; the last of an epoch has fewer. */
  int batchOf(Batch given) {
    return reuse.map(order -> order.batchOf(given.position().step())).orElse(batch());
  }

  /** How often every sample that is read is served. */
  int uses() {
    return reuse.map(ReuseOrder::uses).orElse(1);
  }

  /** Samples that are served in an epoch. */
  long epochSamples() {
    return uses() * source.size();
  }

  /** The order under reuse, if there is reuse. */
  Optional<ReuseOrder> reuse() {
    return reuse;
  }

  /** What this rank has read, moved and served, if there is reuse. */
  Optional<ReuseReport> reuseReport() {
    return meter.map(counted -> counted.report(source.size()));
  }

  /** Continues with steps of another size; not under reuse, which has its own. */
  void resize(int batch) {
    if (batch != batch()) {
      Position from = position();
      loader.close();
      begin(from, batch);
    }
  }

  /** Which samples of a share were taken up to a position, if that does not say it. */
  Optional<String> shared(Position at) {
    return share.flatMap(input -> input.saved(at));
  }

  /** Epochs that are complete before the next step. */
  long epochs() {
    return position().sample() / epochSamples();
  }

  StallReport stalls() {
    return loader.stalls();
  }

  @Override
  public void close() {
    loader.close();
    share.ifPresent(SharedInput::close);
  }
}
