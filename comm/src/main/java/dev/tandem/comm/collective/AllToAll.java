package dev.tandem.comm.collective;

import dev.tandem.comm.transport.SharedSlots;
import java.lang.foreign.MemorySegment;

/**
 * Every rank has an equally long block for every rank; block j of rank i becomes block i of rank j.
 * In shared memory everybody shows a piece of all its blocks in one slot; else every rank exchanges
 * with every other.
 *
 * <p>Communication steps: in shared memory 1 for each n-th of a slot of a block; else n - 1. Bytes
 * on the wire: every rank sends n - 1 blocks.
 */
public final class AllToAll {

  private AllToAll() {}

  /**
   * Transposes the blocks.
   *
   * @param outgoing n blocks, by the rank they go to
   * @param incoming n blocks, by the rank they come from; not the same memory
   */
  public static void run(Team team, MemorySegment outgoing, MemorySegment incoming) {
    int size = team.size();
    if (outgoing.byteSize() != incoming.byteSize() || outgoing.byteSize() % size != 0) {
      throw new IllegalArgumentException(
          "%d and %d bytes are not %d equal blocks each"
              .formatted(outgoing.byteSize(), incoming.byteSize(), size));
    }
    long block = outgoing.byteSize() / size;
    Extents equal = new Extents(Extents.equal(size, block));
    team.fingerprint(CallFingerprint.of(AllToAll.class, outgoing.byteSize(), 0));
    run(team, outgoing, equal, incoming, equal, block);
  }

  /**
   * Transposes blocks of different lengths.
   *
   * @param to where the block for each rank lies in {@code outgoing}
   * @param from where the block of each rank goes in {@code incoming}
   * @param longest bytes of the longest block of all ranks
   */
  static void run(
      Team team,
      MemorySegment outgoing,
      Extents to,
      MemorySegment incoming,
      Extents from,
      long longest) {
    from.block(incoming, team.rank()).copyFrom(to.block(outgoing, team.rank()));
    if (team.slots().isPresent()) {
      runFlat(team, team.slots().get(), outgoing, to, incoming, from, longest);
      return;
    }
    for (int distance = 1; distance < team.size(); distance++) {
      int ahead = team.ahead(distance);
      int before = team.before(distance);
      team.exchange(ahead, to.block(outgoing, ahead), before, from.block(incoming, before));
    }
  }

  private static void runFlat(
      Team team,
      SharedSlots slots,
      MemorySegment outgoing,
      Extents to,
      MemorySegment incoming,
      Extents from,
      long longest) {
    long piece = SharedSlots.pieceBytes(team.size(), team.size());
    for (long start = 0; start < longest; start += piece) {
      for (int distance = 1; distance < team.size(); distance++) {
        int rank = team.ahead(distance);
        slots.put(Extents.piece(to.block(outgoing, rank), start, piece), rank * piece);
      }
      slots.turn();
      for (int distance = 1; distance < team.size(); distance++) {
        int rank = team.ahead(distance);
        MemorySegment target = Extents.piece(from.block(incoming, rank), start, piece);
        target.copyFrom(slots.slot(rank, team.rank() * piece, target.byteSize()));
      }
    }
  }

  /** What it costs a rank. */
  public static Cost cost(TeamPosition position, long blockBytes) {
    return new Cost(steps(position, blockBytes), (position.size() - 1) * blockBytes);
  }

  static long steps(TeamPosition position, long longest) {
    return position.sharedMemory()
        ? Rounds.pieces(longest, SharedSlots.pieceBytes(position.size(), position.size()))
        : position.size() - 1;
  }
}
