package dev.tandem.data.read.mode;

/**
 * Where the time of a reader goes, in nanoseconds, and what it counted. Filled by the reader's
 * threads, each its own fields; read after they have ended.
 */
public final class Breakdown {

  /** Looking for records: cursors, the index, places handed out. */
  public long seek;

  /** Waiting for bytes to come into memory. */
  public long read;

  /** Copying records into shared memory. */
  public long copy;

  /** Waiting for other readers. */
  public long skew;

  /** In the consumer. */
  public long consume;

  public long records;
  public long bytesNeeded;

  /** Iterations whose pages were guessed; the arrays below may be longer. */
  public int guessedIterations;

  /** Pages that were touched in advance and not needed, by iteration. */
  public long[] redundantPages = new long[0];

  /** Pages that were needed and not touched in advance, by iteration. */
  public long[] missedPages = new long[0];
}
