package dev.tandem.servers;

import dev.tandem.comm.topology.ClusterMap;
import dev.tandem.comm.topology.Level;
import dev.tandem.comm.topology.RankPlaces;
import java.util.List;
import java.util.stream.IntStream;

/** Simulated places: nodes of some ranks each, two nodes at a switch, two switches in a rack. */
final class Layouts {

  private Layouts() {}

  static RankPlaces places(int ranks, int perNode) {
    List<String> hosts =
        IntStream.range(0, ranks).mapToObj(rank -> "node" + rank / perNode).toList();
    List<String> lines =
        hosts.stream()
            .distinct()
            .map(
                host -> {
                  int number = Integer.parseInt(host.substring("node".length()));
                  return "%s switch=s%d rack=r%d".formatted(host, number / 2, number / 4);
                })
            .toList();
    return new RankPlaces(hosts, ClusterMap.parse(lines, "test"));
  }

  /** All ranks work and serve. */
  static ServerLayout beside(int ranks, int perNode, Level... proxies) {
    return ServerLayout.beside(places(ranks, perNode)).withProxies(List.of(proxies));
  }
}
