package dev.tandem.data.load;

import dev.tandem.data.order.Position;

/** One rank's batches of steps, in order. For one consumer thread. */
public interface BatchSource extends AutoCloseable {

  /** Whether there is another step. */
  boolean hasNext();

  /** The next step's batch, valid until the following call. */
  Batch next();

  /** Where the next batch begins: what a checkpoint saves. */
  Position position();

  /** Batches that are ready: if there is none, the consumer waits. */
  int ready();

  /** Where the time of loading went so far. */
  StallReport stalls();

  @Override
  void close();
}
