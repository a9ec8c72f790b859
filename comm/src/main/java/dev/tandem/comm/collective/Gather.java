package dev.tandem.comm.collective;

import dev.tandem.comm.transport.SharedSlots;
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
    if (team.slots().isPresent()) {
      team.fingerprint(CallFingerprint.of(Gather.class, lengths, root));
      runFlat(team, team.slots().get(), mine, all, extents, root);
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
      Team team,
      SharedSlots slots,
      MemorySegment mine,
      MemorySegment all,
      Extents extents,
      int root) {
    long slot = SharedSlots.slotBytes(team.size());
    for (long from = 0; from < extents.longest(); from += slot) {
      if (team.rank() != root) {
        slots.put(Extents.piece(mine, from, slot), 0);
        slots.turn();
        continue;
      }
      slots.turn();
      for (int distance = 1; distance < team.size(); distance++) {
        int rank = team.ahead(distance);
        MemorySegment part = Extents.piece(extents.block(all, rank), from, slot);
        part.copyFrom(slots.slot(rank, 0, part.byteSize()));
      }
    }
  }

  /** What it costs a rank. */
  public static Cost cost(TeamPosition position, long[] lengths, int root) {
    Extents extents = new Extents(lengths);
    long bytes = position.rank() == root ? 0 : lengths[position.rank()];
    if (position.sharedMemory()) {
      return new Cost(
          Rounds.pieces(extents.longest(), SharedSlots.slotBytes(position.size())), bytes);
    }
    return new Cost(position.rank() == root ? position.size() - 1 : 1, bytes);
  }
}
