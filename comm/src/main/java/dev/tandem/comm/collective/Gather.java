package dev.tandem.comm.collective;

import dev.tandem.comm.transport.Board;
import java.lang.foreign.MemorySegment;

/**
 * Gives the root the blocks of all, in rank order; blocks may differ in length. In shared memory
 * everybody shows its block, one slot after the other; else everybody sends to the root.
 *
 * <p>Communication steps: in shared memory 1 for each slot's worth of the longest block; else n - 1
 * at the root and 1 elsewhere. Bytes on the wire: every rank but the root sends its block.
 */
public final class Gather {

  private Gather() {}

  /**
   * Collects the blocks of all.
   *
   * @param mine the block of this rank; at the root it may be its place in {@code all}
   * @param all used at the root only
   * @param lengths bytes of every rank's block, the same in all ranks
   */
  public static void run(
      Team team, MemorySegment mine, MemorySegment all, long[] lengths, int root) {
    Extents extents = new Extents(lengths);
    boolean atRoot = team.rank() == root;
    extents.checkAt(team, mine, all, atRoot);
    if (atRoot) {
      MemorySegment.copy(mine, 0, all, extents.offset(root), mine.byteSize());
    }
    if (team.board().isPresent()) {
      team.intend(Intention.of(Gather.class, lengths, root));
      runFlat(team, team.board().get(), mine, all, extents, root);
    } else if (!atRoot) {
      team.send(root, mine);
    } else {
      for (int distance = 1; distance < team.size(); distance++) {
        int rank = team.ahead(distance);
        team.receive(rank, extents.block(all, rank));
      }
    }
  }

  private static void runFlat(
      Team team, Board board, MemorySegment mine, MemorySegment all, Extents extents, int root) {
    long slot = Board.slotBytes(team.size());
    for (long from = 0; from < extents.longest(); from += slot) {
      if (team.rank() != root) {
        board.put(Extents.piece(mine, from, slot), 0);
        board.turn();
        continue;
      }
      board.turn();
      for (int distance = 1; distance < team.size(); distance++) {
        int rank = team.ahead(distance);
        MemorySegment part = Extents.piece(extents.block(all, rank), from, slot);
        part.copyFrom(board.slot(rank, 0, part.byteSize()));
      }
    }
  }

  /** What it costs a rank. */
  public static Cost cost(Place place, long[] lengths, int root) {
    Extents extents = new Extents(lengths);
    long bytes = place.rank() == root ? 0 : lengths[place.rank()];
    if (place.sharedMemory()) {
      return new Cost(Rounds.pieces(extents.longest(), Board.slotBytes(place.size())), bytes);
    }
    return new Cost(place.rank() == root ? place.size() - 1 : 1, bytes);
  }
}
