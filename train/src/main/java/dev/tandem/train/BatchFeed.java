package dev.tandem.train;

import dev.tandem.core.Seed;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Loader;
import dev.tandem.data.load.StallReport;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Steps;
import dev.tandem.train.config.TrainingConfig;

/**
 * One rank's batches from a position to the end of the run. The size of the batch may change on the
 * way: the order of samples goes on where it was. One thread.
 */
final class BatchFeed implements AutoCloseable {

  private final TrainingConfig config;
  private final RecordSource source;
  private final DistributedStep work;
  private Steps steps;
  private Loader loader;

  /** Batches of this size from this position on, cut as the work takes them. */
  BatchFeed(
      TrainingConfig config, RecordSource source, DistributedStep work, Position from, int batch) {
    this.config = config;
    this.source = source;
    this.work = work;
    begin(from, batch);
  }

  /** The steps of a configuration over a source, with this batch. */
  static Steps steps(TrainingConfig config, RecordSource source, int batch) {
    SampleOrder order =
        new SampleOrder(new Seed(config.seed()), source.size(), config.data().shuffle());
    return new Steps(order, batch, config.data().epochEnd());
  }

  private void begin(Position from, int batch) {
    steps = steps(config, source, batch);
    work.check(smallestStep(from));
    loader =
        new Loader(
            source,
            steps,
            config.trainingPreparation(),
            work.plan(from, stepsLeft(from)),
            config.data().loader().withVirtual(config.synchronisation().sharesPool()));
  }

  private long stepsLeft(Position from) {
    long batch = steps.globalBatch();
    long size = source.size();
    long samples = Math.max(0, config.epochs() * size - from.sample());
    long left =
        switch (steps.epochEnd()) {
          case CIRCULAR -> Math.ceilDiv(samples, batch);
          case EXACT ->
              samples / size * Math.ceilDiv(size, batch) + Math.ceilDiv(samples % size, batch);
        };
    return config.mostSteps() == 0
        ? left
        : Math.min(left, Math.max(0, config.mostSteps() - from.step()));
  }

  /** What is left for the last step of this epoch, or of a later one. */
  private long smallestStep(Position from) {
    long batch = steps.globalBatch();
    if (steps.epochEnd() == EpochEnd.CIRCULAR) {
      return batch;
    }
    long now = (source.size() - from.sample() % source.size()) % batch;
    long later = source.size() % batch;
    return Math.min(now == 0 ? batch : now, later == 0 ? batch : later);
  }

  boolean hasNext() {
    return loader.hasNext();
  }

  /** The next step's samples; valid until the following call. */
  Batch next() {
    return loader.next();
  }

  /** Where the next step begins. */
  Position position() {
    return loader.position();
  }

  /** How steps are cut at present. */
  Steps steps() {
    return steps;
  }

  /** Samples of a step, over all ranks. */
  int batch() {
    return steps.globalBatch();
  }

  /** Goes on with steps of another size. */
  void resize(int batch) {
    if (batch != batch()) {
      Position from = position();
      loader.close();
      begin(from, batch);
    }
  }

  /** Epochs that are complete before the next step. */
  long epochs() {
    return position().sample() / source.size();
  }

  StallReport stalls() {
    return loader.stalls();
  }

  @Override
  public void close() {
    loader.close();
  }
}
