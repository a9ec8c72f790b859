package dev.tandem.data.share;

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

  static Geometry of(RecordPreparation preparation, long bytes) {
    long input = (long) preparation.values() * Float.BYTES;
    long target = preparation.targetBytes();
    long sample = input + target;
    // At least eight chunks in a small memory.
    int chunk = Math.clamp(Math.min(CHUNK_BYTES, bytes / 8) / sample, 1, Long.SIZE);
    int chunks = Math.clamp(bytes / (sample * chunk), FEWEST, 1 << 20);
    return new Geometry(input, target, chunk, chunks);
  }

  long chunkBytes() {
    return (inputBytes + targetBytes) * chunk;
  }

  long samples() {
    return (long) chunk * chunks;
  }
}
