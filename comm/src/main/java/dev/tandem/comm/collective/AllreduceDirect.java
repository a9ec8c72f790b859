package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.Reduction;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Allreduce of large data: every rank owns one block, gets it from all others, reduces it in rank
 * order and sends the result to all. As many bytes as a ring, but every element is reduced in the
 * same order whatever its place. Long blocks go in rounds, so that scratch memory stays bounded.
 *
 * <p>Communication steps: 2 (n - 1) in each round of n times {@value #ROUND_BYTES} bytes. Bytes on
 * the wire: a rank with a block of B bytes sends (S - B) + (n - 1) B, about 2 S (n - 1) / n.
 */
final class AllreduceDirect {

  static final long ROUND_BYTES = 1 << 20;

  private AllreduceDirect() {}

  static void run(Team team, MemorySegment data, int elementBytes, Reduction reduction) {
    Blocks blocks = new Blocks(data.byteSize(), elementBytes, team.size());
    for (long from = 0; from < blocks.longest(); from += ROUND_BYTES) {
      reduceMine(team, data, blocks, from, reduction);
      shareMine(team, data, blocks, from);
    }
  }

  private static void reduceMine(
      Team team, MemorySegment data, Blocks blocks, long from, Reduction reduction) {
    int size = team.size();
    MemorySegment mine = blocks.piece(data, team.rank(), from, ROUND_BYTES);
    long bytes = mine.byteSize();
    MemorySegment scratch = team.scratch(bytes * size);
    for (int distance = 1; distance < size; distance++) {
      int to = (team.rank() + distance) % size;
      int source = Math.floorMod(team.rank() - distance, size);
      team.exchange(
          to,
          blocks.piece(data, to, from, ROUND_BYTES),
          source,
          scratch.asSlice(bytes * source, bytes));
    }
    List<MemorySegment> inputs = new ArrayList<>(size);
    for (int rank = 0; rank < size; rank++) {
      inputs.add(rank == team.rank() ? mine : scratch.asSlice(bytes * rank, bytes));
    }
    reduction.reduce(inputs, mine);
  }

  private static void shareMine(Team team, MemorySegment data, Blocks blocks, long from) {
    int size = team.size();
    MemorySegment mine = blocks.piece(data, team.rank(), from, ROUND_BYTES);
    for (int distance = 1; distance < size; distance++) {
      int source = Math.floorMod(team.rank() - distance, size);
      team.exchange(
          (team.rank() + distance) % size,
          mine,
          source,
          blocks.piece(data, source, from, ROUND_BYTES));
    }
  }

  static Cost cost(int ranks, int rank, long bytes, int elementBytes) {
    Blocks blocks = new Blocks(bytes, elementBytes, ranks);
    long mine = blocks.length(rank);
    return new Cost(
        2L * (ranks - 1) * Rounds.pieces(blocks.longest(), ROUND_BYTES),
        bytes - mine + (ranks - 1) * mine);
  }
}
