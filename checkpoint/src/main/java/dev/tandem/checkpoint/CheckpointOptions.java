package dev.tandem.checkpoint;

/**
 * How checkpoints are written.
 *
 * @param compression of what is written
 * @param incremental pieces that are the same, byte for byte, as in the last checkpoint are not
 *     written again; costs the memory of two copies of what a rank writes
 * @param retention which are kept
 * @param bytesPerSecond that a rank writes at most, so that others of the disk get their share
 */
public record CheckpointOptions(
    Compression compression, boolean incremental, Retention retention, long bytesPerSecond) {

  /** Bytes of one write: one request for most disks. */
  public static final int BLOCK_BYTES = 4 << 20;

  /** Writes of a rank that are under way at a time. */
  public static final int QUEUE_DEPTH = 4;

  /** Everything as it is, all kept, as fast as the disk is. */
  public static final CheckpointOptions DEFAULT =
      new CheckpointOptions(Compression.NONE, false, Retention.ALL, Long.MAX_VALUE);

  public CheckpointOptions {
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException("no checkpoint is written at " + bytesPerSecond + " B/s");
    }
  }

  public CheckpointOptions with(Compression other) {
    return new CheckpointOptions(other, incremental, retention, bytesPerSecond);
  }

  public CheckpointOptions with(Retention other) {
    return new CheckpointOptions(compression, incremental, other, bytesPerSecond);
  }

  public CheckpointOptions withIncremental(boolean on) {
    return new CheckpointOptions(compression, on, retention, bytesPerSecond);
  }

  public CheckpointOptions withBytesPerSecond(long most) {
    return new CheckpointOptions(compression, incremental, retention, most);
  }
}
