package dev.tandem.data.share;

import java.lang.foreign.MemorySegment;

/** Fills chunks with prepared samples. For one thread. */
@FunctionalInterface
interface ChunkMaker {

  /**
   * Writes the samples of a chunk.
   *
   * @param wanted bit i stands for sample i of the chunk
   * @param inputs of all samples of the chunk, one after the other
   * @param targets likewise
   * @return those that are there now; one that is bad is not
   */
  long make(long chunk, long wanted, MemorySegment inputs, MemorySegment targets);
}
