package dev.tandem.comm.collective;

/**
 * Waits until all have come. In shared memory all turn their board; else dissemination: in round k
 * every rank signals the one 2^k ahead.
 *
 * <p>Communication steps: 1 in shared memory, else ceil(log2 n). Bytes on the wire: 0.
 */
public final class Barrier {

  private Barrier() {}

  public static void run(Team team) {
    if (team.board().isPresent()) {
      team.intend(Intention.of(Barrier.class, 0, 0));
      team.board().get().turn();
      return;
    }
    for (int distance = 1; distance < team.size(); distance *= 2) {
      team.exchange(team.ahead(distance), Team.nothing(), team.behind(distance), Team.nothing());
    }
  }

  /** What it costs a rank. */
  public static Cost cost(Place place) {
    return new Cost(place.sharedMemory() ? 1 : Rounds.log2Ceiling(place.size()), 0);
  }
}
