package dev.tandem.data.share;

import dev.tandem.core.UsageException;
import dev.tandem.data.load.RecordPreparation;

/**
 * How the memory of a share is divided: samples in chunks that follow one another in the sequence,
 * a ring of chunks.
 *
 * @param inputBytes of a sample
 * @param targetBytes of a sample
 * @param chunk samples of a chunk, at most 64
 * @param chunks of the ring
 */
record Geometry(long inputBytes, long targetBytes, int chunk, int chunks) {

  /** Small enough that consumers of one another's chunks do not wait long. */
  private static final long CHUNK_BYTES = 128L << 10;

  private static final int FEWEST = 4;

  /**
   * As many samples as a memory can hold besides what says who has what.
   *
   * @param bytes of the whole memory
   */
  static Geometry of(RecordPreparation preparation, long bytes) {
    long input = (long) preparation.values() * Float.BYTES;
    long target = preparation.targetBytes();
    long sample = input + target;
    long room = bytes - ShareArea.BOOKKEEPING;
    // At least eight chunks in a small memory.
    int chunk = Math.clamp(Math.min(CHUNK_BYTES, room / 8) / sample, 1, Long.SIZE);
    long chunks = room / (sample * chunk + ShareArea.CHUNK_BYTES);
    if (chunks < FEWEST) {
      throw new UsageException(
          "%,d bytes are shared, but %d samples of %,d bytes take %,d: set data.share.megabytes, or megabytes of an ensemble, to %d or more"
              .formatted(
                  bytes, FEWEST, sample, least(sample), Math.ceilDiv(least(sample), 1L << 20)));
    }
    return new Geometry(input, target, chunk, (int) Math.min(chunks, 1 << 20));
  }

  private static long least(long sample) {
    return ShareArea.BOOKKEEPING + FEWEST * (sample + ShareArea.CHUNK_BYTES);
  }

  long chunkBytes() {
    return (inputBytes + targetBytes) * chunk;
  }

  long samples() {
    return (long) chunk * chunks;
  }
}
