package dev.tandem.comm.collective;

/**
 * Waits until all have come: dissemination. In round k every rank signals the one 2^k ahead.
 *
 * <p>Communication steps: ceil(log2 n). Bytes on the wire: 0 (empty messages).
 */
public final class Barrier {

  private Barrier() {}

  public static void run(Team team) {
    int size = team.size();
    for (int distance = 1; distance < size; distance *= 2) {
      team.exchange(
          (team.rank() + distance) % size,
          Team.nothing(),
          Math.floorMod(team.rank() - distance, size),
          Team.nothing());
    }
  }

  public static Cost cost(int ranks) {
    return new Cost(Rounds.log2Ceiling(ranks), 0);
  }
}
