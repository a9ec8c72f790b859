package dev.tandem.comm.topology;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Which rank is on which host. Hosts are numbered from 0 in the order in which they appear among
 * the ranks; the ranks of a host need not be neighbours.
 *
 * @param names the name of the host of every rank
 */
public record Topology(List<String> names) {

  public Topology {
    if (names.isEmpty()) {
      throw new IllegalArgumentException("a job has at least one rank");
    }
    names = List.copyOf(names);
  }

  /** {@code size} ranks on one host. */
  public static Topology oneHost(int size) {
    return new Topology(IntStream.range(0, size).mapToObj(rank -> "localhost").toList());
  }

  /** How many ranks there are. */
  public int size() {
    return names.size();
  }

  /** How many hosts there are. */
  public int hosts() {
    return (int) names.stream().distinct().count();
  }

  /** The number of the host of a rank. */
  public int host(int rank) {
    return names.stream().distinct().toList().indexOf(names.get(rank));
  }

  /** The ranks on the host of this number, ascending. */
  public int[] ranksOf(int host) {
    return IntStream.range(0, size()).filter(rank -> host(rank) == host).toArray();
  }

  /** The number of a rank among the ranks of its host. */
  public int localRank(int rank) {
    String name = names.get(rank);
    return (int) names.subList(0, rank).stream().filter(name::equals).count();
  }

  /** How many ranks are on the host of a rank. */
  public int localSize(int rank) {
    String name = names.get(rank);
    return (int) names.stream().filter(name::equals).count();
  }

  /** The lowest rank of each host, in the order of the hosts. */
  public int[] leaders() {
    return IntStream.range(0, size()).filter(rank -> localRank(rank) == 0).toArray();
  }
}
