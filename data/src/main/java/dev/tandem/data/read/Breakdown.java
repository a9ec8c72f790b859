package dev.tandem.data.read;

/**
 * Where the time of a reader goes, in nanoseconds, and what it counted. Filled by the reader's
 * threads, each its own fields; read after they have ended.
 */
final class Breakdown {

  /** Looking for records: cursors, the index, places handed out. */
  long seek;

  /** Waiting for bytes to come into memory. */
  long read;

  /** Copying records into shared memory. */
  long copy;

  /** Waiting for other readers. */
  long skew;

  /** In the consumer. */
  long consume;

  long records;
  long bytesNeeded;

  /** Iterations whose pages were guessed; the arrays below may be longer. */
  int guessedIterations;

  /** Pages that were touched in advance and not needed, by iteration. */
  long[] redundantPages = new long[0];

  /** Pages that were needed and not touched in advance, by iteration. */
  long[] missedPages = new long[0];
}
