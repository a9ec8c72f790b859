package dev.tandem.checkpoint;

import dev.tandem.comm.topology.Topology;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Which rank holds whose part: every rank has one partner and is the partner of one other. If no
 * host has more than half of the ranks, every partner is on another host; a rank that is alone has
 * itself.
 */
record Partners(int to, int from) {

  /**
   * Those of one rank. In a row of all ranks, host after host, the partner comes as far after it as
   * the largest host is long: too far to be on the same host.
   */
  static Partners of(Topology topology, int rank) {
    List<Integer> row =
        IntStream.range(0, topology.size())
            .boxed()
            .sorted(Comparator.comparingInt(topology::host))
            .toList();
    long largest =
        row.stream()
            .collect(Collectors.groupingBy(topology::host, Collectors.counting()))
            .values()
            .stream()
            .mapToLong(Long::longValue)
            .max()
            .orElseThrow();
    int shift = topology.hosts() == 1 ? 1 : Math.toIntExact(largest);
    int size = row.size();
    int place = row.indexOf(rank);
    return new Partners(
        row.get((place + shift) % size), row.get(Math.floorMod(place - shift, size)));
  }
}
