package dev.tandem.comm.collective;

import dev.tandem.comm.transport.SharedSlots;
import java.lang.foreign.MemorySegment;

/**
 * Gives every rank its block of the root's data; blocks may differ in length. In shared memory the
 * root shows a piece of everybody's block in one slot; else it sends to everybody.
 *
 * <p>Communication steps: in shared memory 1 for each n-th of a slot of the longest block; else n -
 * 1 at the root and 1 elsewhere. Bytes on the wire: the root sends all blocks but its own.
 */
public final class Scatter {

  private Scatter() {}

  /**
   * Deals the blocks out.
   *
   * @param all used at the root only
   * @param mine the block of this rank; at the root it may be its place in {@code all}
   * @param lengths bytes of every rank's block, the same in all ranks
   */
  public static void run(
      Team team, MemorySegment all, MemorySegment mine, long[] lengths, int root) {
    Extents extents = new Extents(lengths);
    boolean atRoot = team.rank() == root;
    extents.checkAt(team, mine, all, atRoot);
    if (atRoot) {
      MemorySegment.copy(all, extents.offset(root), mine, 0, mine.byteSize());
    }
    if (team.slots().isPresent()) {
      team.fingerprint(CallFingerprint.of(Scatter.class, lengths, root));
      runFlat(team, team.slots().get(), all, mine, extents, root);
    } else if (!atRoot) {
      team.receive(root, mine);
    } else {
      for (int distance = 1; distance < team.size(); distance++) {
        int rank = team.ahead(distance);
        team.send(rank, extents.block(all, rank));
      }
    }
  }

  private static void runFlat(
      Team team,
      SharedSlots slots,
      MemorySegment all,
      MemorySegment mine,
      Extents extents,
      int root) {
    long piece = SharedSlots.pieceBytes(team.size(), team.size());
    for (long from = 0; from < extents.longest(); from += piece) {
      if (team.rank() != root) {
        slots.turn();
        MemorySegment part = Extents.piece(mine, from, piece);
        part.copyFrom(slots.slot(root, team.rank() * piece, part.byteSize()));
        continue;
      }
      for (int distance = 1; distance < team.size(); distance++) {
        int rank = team.ahead(distance);
        slots.put(Extents.piece(extents.block(all, rank), from, piece), rank * piece);
      }
      slots.turn();
    }
  }

  /** What it costs a rank. */
  public static Cost cost(TeamPosition position, long[] lengths, int root) {
    Extents extents = new Extents(lengths);
    long bytes = position.rank() == root ? extents.total() - lengths[root] : 0;
    if (position.sharedMemory()) {
      return new Cost(
          Rounds.pieces(
              extents.longest(), SharedSlots.pieceBytes(position.size(), position.size())),
          bytes);
    }
    return new Cost(position.rank() == root ? position.size() - 1 : 1, bytes);
  }
}
