package dev.tandem.comm.collective;

import java.lang.foreign.MemorySegment;

/**
 * Gives every rank the equally long blocks of all, in rank order: a ring, in which every rank hands
 * on what it got last.
 *
 * <p>Communication steps: n - 1. Bytes on the wire: every rank sends (n - 1) blocks.
 */
public final class Allgather {

  private Allgather() {}

  /**
   * Collects the blocks of all.
   *
   * @param mine the block of this rank; may be its place in {@code all}
   * @param all n blocks
   */
  public static void run(Team team, MemorySegment mine, MemorySegment all) {
    int size = team.size();
    long block = mine.byteSize();
    if (all.byteSize() != block * size) {
      throw new IllegalArgumentException(
          "%d blocks of %d bytes do not fit into %d bytes".formatted(size, block, all.byteSize()));
    }
    MemorySegment.copy(mine, 0, all, block * team.rank(), block);
    int next = (team.rank() + 1) % size;
    int previous = Math.floorMod(team.rank() - 1, size);
    for (int step = 0; step < size - 1; step++) {
      int passed = Math.floorMod(team.rank() - step, size);
      int taken = Math.floorMod(team.rank() - step - 1, size);
      team.exchange(
          next, all.asSlice(block * passed, block), previous, all.asSlice(block * taken, block));
    }
  }

  public static Cost cost(int ranks, long blockBytes) {
    return new Cost(ranks - 1, (ranks - 1) * blockBytes);
  }
}
