package dev.tandem.comm.collective;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Where the blocks of all ranks lie when they stand one after the other. */
final class Extents {

  private final long[] offsets;

  Extents(long[] lengths) {
    offsets = new long[lengths.length + 1];
    for (int rank = 0; rank < lengths.length; rank++) {
      if (lengths[rank] < 0) {
        throw new IllegalArgumentException("rank " + rank + " has a block of negative length");
      }
      offsets[rank + 1] = offsets[rank] + lengths[rank];
    }
  }

  /** Equally long blocks. */
  static long[] equal(int ranks, long bytes) {
    long[] lengths = new long[ranks];
    Arrays.fill(lengths, bytes);
    return lengths;
  }

  /** How many blocks there are. */
  int ranks() {
    return offsets.length - 1;
  }

  long offset(int rank) {
    return offsets[rank];
  }

  long length(int rank) {
    return offsets[rank + 1] - offsets[rank];
  }

  long total() {
    return offsets[offsets.length - 1];
  }

  long longest() {
    long longest = 0;
    for (int rank = 0; rank < offsets.length - 1; rank++) {
      longest = Math.max(longest, length(rank));
    }
    return longest;
  }

  MemorySegment block(MemorySegment all, int rank) {
    return all.asSlice(offset(rank), length(rank));
  }

  /** The part of a rank's block from {@code from}, at most {@code limit} bytes, maybe empty. */
  MemorySegment piece(MemorySegment all, int rank, long from, long limit) {
    long start = Math.min(from, length(rank));
    return all.asSlice(offset(rank) + start, Math.min(limit, length(rank) - start));
  }

  /** The part of a block from {@code from}, at most {@code limit} bytes long, maybe empty. */
  static MemorySegment piece(MemorySegment block, long from, long limit) {
    long start = Math.min(from, block.byteSize());
    return block.asSlice(start, Math.min(limit, block.byteSize() - start));
  }

  /** Checks all there is to check at this rank. */
  void checkAt(Team team, MemorySegment mine, MemorySegment all, boolean atRoot) {
    check(team, mine);
    if (atRoot) {
      checkAll(all);
    }
  }

  void check(Team team, MemorySegment mine, MemorySegment all) {
    check(team, mine);
    checkAll(all);
  }

  private void check(Team team, MemorySegment mine) {
    if (offsets.length - 1 != team.size()) {
      throw new IllegalArgumentException(
          "%d lengths for %d ranks".formatted(offsets.length - 1, team.size()));
    }
    if (mine.byteSize() != length(team.rank())) {
      throw new IllegalArgumentException(
          "the block of rank %d has %d bytes, not %d"
              .formatted(team.rank(), mine.byteSize(), length(team.rank())));
    }
  }

  private void checkAll(MemorySegment all) {
    if (all.byteSize() != total()) {
      throw new IllegalArgumentException(
          "all blocks have %d bytes together, not %d".formatted(total(), all.byteSize()));
    }
  }
}
