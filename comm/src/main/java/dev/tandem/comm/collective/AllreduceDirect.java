package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.Reduction;
import java.lang.foreign.MemorySegment;

/**
 * Allreduce of large data over messages: every rank owns one block, gets it from all others,
 * reduces it in rank order and sends the result to all. As many bytes as a ring, but every element
 * is reduced in the same order whatever its place.
 *
 * <p>Communication steps: 2 (n - 1) in each of {@link DirectReduce}'s rounds. Bytes on the wire: a
 * rank with a block of B bytes sends (S - B) + (n - 1) B, about 2 S (n - 1) / n.
 */
final class AllreduceDirect {

  private AllreduceDirect() {}

  static void run(Team team, MemorySegment data, int elementBytes, Reduction reduction) {
    Blocks blocks = new Blocks(data.byteSize(), elementBytes, team.size());
    for (long from = 0; from < blocks.longest(); from += DirectReduce.ROUND_BYTES) {
      MemorySegment mine = blocks.piece(data, team.rank(), from, DirectReduce.ROUND_BYTES);
      DirectReduce.round(team, data, blocks, from, reduction, mine);
      for (int distance = 1; distance < team.size(); distance++) {
        int source = team.behind(distance);
        team.exchange(
            team.ahead(distance),
            mine,
            source,
            blocks.piece(data, source, from, DirectReduce.ROUND_BYTES));
      }
    }
  }

  static Cost cost(int ranks, int rank, long bytes, int elementBytes) {
    Blocks blocks = new Blocks(bytes, elementBytes, ranks);
    long mine = blocks.length(rank);
    return new Cost(
        2L * (ranks - 1) * DirectReduce.rounds(blocks), bytes - mine + (ranks - 1) * mine);
  }
}
