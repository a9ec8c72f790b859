package dev.tandem.comm.collective;

import java.lang.foreign.MemorySegment;

/**
 * A message cut into one block per rank; the first blocks have one element more where it does not
 * come out even.
 *
 * @param elementBytes blocks are cut between elements
 */
record Blocks(long bytes, int elementBytes, int ranks) {

  long offset(int block) {
    long elements = bytes / elementBytes;
    return (elements / ranks * block + Math.min(block, elements % ranks)) * elementBytes;
  }

  long length(int block) {
    return offset(block + 1) - offset(block);
  }

  /** The same as a list of lengths. */
  Extents extents() {
    return new Extents(lengths());
  }

  long[] lengths() {
    return lengths(ranks);
  }

  /** The lengths of the blocks of a team of which the first ranks have one. */
  long[] lengths(int size) {
    long[] lengths = new long[size];
    for (int block = 0; block < ranks; block++) {
      lengths[block] = length(block);
    }
    return lengths;
  }

  long longest() {
    return length(0);
  }

  MemorySegment block(MemorySegment message, int block) {
    return message.asSlice(offset(block), length(block));
  }

  /** The part of a block from {@code from}, at most {@code limit} bytes long, maybe empty. */
  MemorySegment piece(MemorySegment message, int block, long from, long limit) {
    long length = length(block);
    long start = Math.min(from, length);
    return message.asSlice(offset(block) + start, Math.min(limit, length - start));
  }
}
