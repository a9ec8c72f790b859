package dev.tandem.data.load;

import dev.tandem.core.TandemException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.load.StepWork.Chunk;
import java.util.Map;
import java.util.TreeMap;

/** Makes samples of records, one chunk after the other. For one thread. */
final class Worker implements Runnable {

  private final StepQueue queue;
  private final SampleWriter writer;

  Worker(StepQueue queue, SampleWriter writer) {
    this.queue = queue;
    this.writer = writer;
  }

  @Override
  public void run() {
    try {
      for (Chunk chunk = queue.nextChunk(); chunk != null; chunk = queue.nextChunk()) {
        work(chunk);
      }
    } catch (Throwable e) {
      queue.fail(asTandemException(e));
    }
  }

  private void work(Chunk chunk) {
    Map<Integer, BadRecord> bad = new TreeMap<>();
    TandemException failure = null;
    try {
      for (int i = chunk.from(); i < chunk.to(); i++) {
        write(chunk.work(), i, bad);
      }
      chunk.work().ensureIntact();
    } catch (Throwable e) {
      failure = asTandemException(e);
    }
    writer.report();
    if (queue.finish(chunk, bad, failure)) {
      // No other thread touches the step now.
      chunk.work().closeGaps();
      queue.complete(chunk.work());
    }
  }

  private void write(StepWork step, int sample, Map<Integer, BadRecord> bad) {
    long ordinal = step.samples().ordinal(sample);
    DataRecord record = step.record(sample);
    try {
      writer.write(record, step.samples().visit(sample), ordinal, step.slot(), sample);
    } catch (WorkFailedException e) {
      bad.put(sample, BadRecord.of(ordinal, record, e.getMessage()));
    } catch (IndexOutOfBoundsException | IllegalArgumentException | ArithmeticException e) {
      // What a decoder that trusts its input does with a bad record.
      bad.put(sample, BadRecord.of(ordinal, record, e.toString()));
    }
  }

  /** Whatever a thread failed with, as something to tell the consumer. */
  static TandemException asTandemException(Throwable cause) {
    return cause instanceof TandemException known
        ? known
        : new WorkFailedException("the loader failed: " + cause, cause);
  }
}
