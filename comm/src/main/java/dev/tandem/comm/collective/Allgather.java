package dev.tandem.comm.collective;

import dev.tandem.comm.transport.Board;
import java.lang.foreign.MemorySegment;

/**
 * Gives every rank the blocks of all, in rank order; blocks may differ in length. In shared memory
 * everybody shows its block, one slot after the other; else a ring, in which every rank hands on
 * what it got last.
 *
 * <p>Communication steps: in shared memory 1 for each slot's worth of the longest block; else n -
 * 1. Bytes on the wire: in shared memory a rank writes its block; else it sends all blocks but that
 * of the rank ahead of it.
 */
public final class Allgather {

  private Allgather() {}

  /**
   * Collects the blocks of all.
   *
   * @param mine the block of this rank; may be its place in {@code all}
   * @param all the blocks of all ranks, one after the other
   * @param lengths bytes of every rank's block, the same in all ranks
   */
  public static void run(Team team, MemorySegment mine, MemorySegment all, long[] lengths) {
    Extents extents = new Extents(lengths);
    extents.check(team, mine, all);
    MemorySegment.copy(mine, 0, all, extents.offset(team.rank()), mine.byteSize());
    if (team.board().isPresent()) {
      team.intend(Intention.of(Allgather.class, lengths, 0));
      runFlat(team, team.board().get(), mine, all, extents);
      return;
    }
    for (int step = 0; step < team.size() - 1; step++) {
      team.exchange(
          team.ahead(1),
          extents.block(all, team.behind(step)),
          team.behind(1),
          extents.block(all, team.behind(step + 1)));
    }
  }

  private static void runFlat(
      Team team, Board board, MemorySegment mine, MemorySegment all, Extents extents) {
    for (long from = 0; from < extents.longest(); from += Board.SLOT_BYTES) {
      board.put(Extents.piece(mine, from, Board.SLOT_BYTES), 0);
      board.turn();
      for (int distance = 1; distance < team.size(); distance++) {
        int rank = team.ahead(distance);
        MemorySegment part = Extents.piece(extents.block(all, rank), from, Board.SLOT_BYTES);
        part.copyFrom(board.slot(rank, 0, part.byteSize()));
      }
    }
  }

  /** What it costs a rank. */
  public static Cost cost(Place place, long[] lengths) {
    Extents extents = new Extents(lengths);
    if (place.sharedMemory()) {
      return new Cost(Rounds.pieces(extents.longest(), Board.SLOT_BYTES), lengths[place.rank()]);
    }
    return new Cost(place.size() - 1, extents.total() - lengths[place.ahead(1)]);
  }
}
