package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.Reduction;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The half that reductions over messages share: every rank gets one piece of its own block from all
 * others and reduces it in rank order.
 */
final class DirectReduce {

  /** Long blocks go in rounds of so many bytes a rank, so that scratch memory stays bounded. */
  static final long ROUND_BYTES = 1 << 20;

  private DirectReduce() {}

  /**
   * One round.
   *
   * @param from where in every block the round begins
   * @param target where the reduced piece goes; may be its place in {@code data}
   */
  static void round(
      Team team,
      MemorySegment data,
      Blocks blocks,
      long from,
      Reduction reduction,
      MemorySegment target) {
    int size = team.size();
    MemorySegment mine = blocks.piece(data, team.rank(), from, ROUND_BYTES);
    long bytes = mine.byteSize();
    MemorySegment scratch = team.scratch(bytes * size);
    for (int distance = 1; distance < size; distance++) {
      int to = team.ahead(distance);
      int source = team.behind(distance);
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
    reduction.reduce(inputs, target);
  }

  static long rounds(Blocks blocks) {
    return Rounds.pieces(blocks.longest(), ROUND_BYTES);
  }
}
