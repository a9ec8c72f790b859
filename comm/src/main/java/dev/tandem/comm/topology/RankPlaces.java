package dev.tandem.comm.topology;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Where the ranks of a job are. Immutable.
 *
 * @param hosts the host of every rank, as {@code Communicator.topology().names()} has them
 */
public record RankPlaces(List<String> hosts, ClusterMap map) {

  /** Checks that the map has all hosts. */
  public RankPlaces {
    hosts = List.copyOf(hosts);
    hosts.forEach(map::location);
  }

  /** How many ranks there are. */
  public int ranks() {
    return hosts.size();
  }

  /** How far apart two ranks are. */
  public Level between(int one, int other) {
    if (one == other) {
      return Level.PROCESS;
    }
    if (hosts.get(one).equals(hosts.get(other))) {
      return Level.NODE;
    }
    ClusterMap.HostLocation first = map.location(hosts.get(one));
    ClusterMap.HostLocation second = map.location(hosts.get(other));
    boolean sameRack = Objects.equals(first.rack(), second.rack());
    if (sameRack && Objects.equals(first.networkSwitch(), second.networkSwitch())) {
      return Level.SWITCH;
    }
    return sameRack ? Level.RACK : Level.MACHINE;
  }

  /** The ranks that exchange samples with a rank at a level, itself among them, ascending. */
  public int[] group(Level level, int rank) {
    return IntStream.range(0, ranks())
        .filter(other -> between(rank, other).compareTo(level) <= 0)
        .toArray();
  }
}
