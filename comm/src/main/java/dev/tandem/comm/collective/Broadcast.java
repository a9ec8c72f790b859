package dev.tandem.comm.collective;

import dev.tandem.comm.transport.Board;
import java.lang.foreign.MemorySegment;

/**
 * Copies the root's data to all. In shared memory the root shows one slot after the other; else a
 * binomial tree, in which whoever has the data sends it to a rank that has not, twice as near each
 * round.
 *
 * <p>Communication steps: in shared memory 1 for each slot's worth; else ceil(log2 n). Bytes on the
 * wire: in shared memory the root writes S; else a rank sends S once for each of its children, of
 * which the root has ceil(log2 n) and all together n - 1.
 */
public final class Broadcast {

  private Broadcast() {}

  public static void run(Team team, MemorySegment data, int root) {
    if (team.board().isPresent()) {
      team.intend(Intention.of(Broadcast.class, data.byteSize(), root));
      runFlat(team, team.board().get(), data, root);
      return;
    }
    int size = team.size();
    int me = Math.floorMod(team.rank() - root, size);
    int reach = reach(me, size);
    if (me != 0) {
      team.receive((me - reach + root) % size, data);
    }
    for (int distance = reach / 2; distance >= 1; distance /= 2) {
      if (me + distance < size) {
        team.send((me + distance + root) % size, data);
      }
    }
  }

  private static void runFlat(Team team, Board board, MemorySegment data, int root) {
    for (long from = 0; from < data.byteSize(); from += Board.SLOT_BYTES) {
      long length = Math.min(Board.SLOT_BYTES, data.byteSize() - from);
      MemorySegment part = data.asSlice(from, length);
      if (team.rank() == root) {
        board.put(part, 0);
      }
      board.turn();
      if (team.rank() != root) {
        part.copyFrom(board.slot(root, 0, length));
      }
    }
  }

  /** The distance from a rank to its parent, twice the distance to its farthest child. */
  private static int reach(int me, int size) {
    return me == 0 ? 1 << Rounds.log2Ceiling(size) : Integer.lowestOneBit(me);
  }

  /** What it costs a rank. */
  public static Cost cost(Place place, int root, long bytes) {
    int me = Math.floorMod(place.rank() - root, place.size());
    if (place.sharedMemory()) {
      return new Cost(Rounds.pieces(bytes, Board.SLOT_BYTES), me == 0 ? bytes : 0);
    }
    long children = 0;
    for (int distance = reach(me, place.size()) / 2; distance >= 1; distance /= 2) {
      children += me + distance < place.size() ? 1 : 0;
    }
    return new Cost(Rounds.log2Ceiling(place.size()), children * bytes);
  }
}
