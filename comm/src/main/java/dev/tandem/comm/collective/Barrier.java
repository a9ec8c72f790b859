package dev.tandem.comm.collective;

/**
 * Waits until all have come. In shared memory all turn their shared slots; over messages
 * dissemination: in round k every rank signals the one 2^k ahead. On several hosts with several
 * members: within each host, then the first members of all hosts, then within each host again.
 *
 * <p>Communication steps: 1 in shared memory, ceil(log2 n) over messages, the sum of the three
 * parts on several hosts. Bytes on the wire: 0.
 */
public final class Barrier {

  private Barrier() {}

  public static void run(Team team) {
    if (team.local().isPresent()) {
      run(team.local().get());
      team.hostLeaders().ifPresent(Barrier::run);
      run(team.local().get());
      return;
    }
    if (team.slots().isPresent()) {
      team.fingerprint(CallFingerprint.of(Barrier.class, 0, 0));
      team.slots().get().turn();
      return;
    }
    for (int distance = 1; distance < team.size(); distance *= 2) {
      team.exchange(team.ahead(distance), Team.nothing(), team.before(distance), Team.nothing());
    }
  }

  /** What it costs a rank. */
  public static Cost cost(TeamPosition position) {
    if (position.layout().grouped()) {
      Cost within = cost(position.local()).times(2);
      return position.localRank() == 0 ? within.then(cost(position.sameLocalRank())) : within;
    }
    return new Cost(position.sharedMemory() ? 1 : Rounds.log2Ceiling(position.size()), 0);
  }
}
