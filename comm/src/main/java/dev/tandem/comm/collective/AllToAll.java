package dev.tandem.comm.collective;

import dev.tandem.comm.transport.Board;
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
    MemorySegment.copy(outgoing, team.rank() * block, incoming, team.rank() * block, block);
    if (team.board().isPresent()) {
      team.intend(Intention.of(AllToAll.class, outgoing.byteSize(), 0));
      runFlat(team, team.board().get(), outgoing, incoming, block);
      return;
    }
    for (int distance = 1; distance < size; distance++) {
      int to = team.ahead(distance);
      int from = team.behind(distance);
      team.exchange(
          to, outgoing.asSlice(to * block, block), from, incoming.asSlice(from * block, block));
    }
  }

  private static void runFlat(
      Team team, Board board, MemorySegment outgoing, MemorySegment incoming, long block) {
    long piece = Board.pieceBytes(team.size());
    for (long from = 0; from < block; from += piece) {
      long length = Math.min(piece, block - from);
      for (int distance = 1; distance < team.size(); distance++) {
        int rank = team.ahead(distance);
        board.put(outgoing.asSlice(rank * block + from, length), rank * piece);
      }
      board.turn();
      for (int distance = 1; distance < team.size(); distance++) {
        int rank = team.ahead(distance);
        MemorySegment.copy(
            board.slot(rank, team.rank() * piece, length),
            0,
            incoming,
            rank * block + from,
            length);
      }
    }
  }

  /** What it costs a rank. */
  public static Cost cost(Place place, long blockBytes) {
    long steps =
        place.sharedMemory()
            ? Rounds.pieces(blockBytes, Board.pieceBytes(place.size()))
            : place.size() - 1;
    return new Cost(steps, (place.size() - 1) * blockBytes);
  }
}
