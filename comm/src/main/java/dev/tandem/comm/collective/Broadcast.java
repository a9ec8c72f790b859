package dev.tandem.comm.collective;

import java.lang.foreign.MemorySegment;

/**
 * Copies the root's data to all: a binomial tree, in which whoever has the data sends it to a rank
 * that has not, twice as near each round.
 *
 * <p>Communication steps: ceil(log2 n) for the whole team. Bytes on the wire: a rank sends the
 * message once for each of its children; the root has ceil(log2 n) of them, all together n - 1.
 */
public final class Broadcast {

  private Broadcast() {}

  public static void run(Team team, MemorySegment data, int root) {
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

  /** The distance from a rank to its parent, twice the distance to its farthest child. */
  private static int reach(int me, int size) {
    return me == 0 ? 1 << Rounds.log2Ceiling(size) : Integer.lowestOneBit(me);
  }

  public static Cost cost(int ranks, int rank, int root, long bytes) {
    int me = Math.floorMod(rank - root, ranks);
    long children = 0;
    for (int distance = reach(me, ranks) / 2; distance >= 1; distance /= 2) {
      children += me + distance < ranks ? 1 : 0;
    }
    return new Cost(Rounds.log2Ceiling(ranks), children * bytes);
  }
}
