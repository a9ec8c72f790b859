package dev.tandem.servers;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.ClusterMap;
import dev.tandem.comm.topology.RankPlaces;
import dev.tandem.posix.Affinity;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Places in which every NUMA node of a host counts as a node of its own: so proxies at level node
 * are one a NUMA node. Where a rank is, its affinity says; a rank whose processors belong to
 * several NUMA nodes is in none of them, but somewhere on its host.
 */
public final class NumaPlaces {

  private static final Path PROCESSORS = Path.of("/sys/devices/system/cpu");
  private static final int SOMEWHERE = -1;

  private NumaPlaces() {}

  /** Where the ranks of a job are; all of them call this together. */
  public static RankPlaces of(Communicator communicator) {
    // Without affinity nobody is anywhere in particular.
    BitSet processors = Affinity.capability().value().map(Affinity::current).orElseGet(BitSet::new);
    int[] own = {node(PROCESSORS, processors).orElse(SOMEWHERE)};
    int[] all = new int[communicator.size()];
    communicator.allgather(MemorySegment.ofArray(own), MemorySegment.ofArray(all));
    List<String> hosts = communicator.topology().names();
    return places(hosts, all);
  }

  static RankPlaces places(List<String> hosts, int[] nodes) {
    List<String> names =
        IntStream.range(0, nodes.length)
            .mapToObj(
                rank ->
                    nodes[rank] == SOMEWHERE
                        ? hosts.get(rank)
                        : "%s/numa-%d".formatted(hosts.get(rank), nodes[rank]))
            .toList();
    return new RankPlaces(names, ClusterMap.flat());
  }

  /** The node that all these processors belong to, as the kernel's folders have it. */
  static OptionalInt node(Path processors, BitSet own) {
    int found = SOMEWHERE;
    for (int processor : own.stream().toArray()) {
      int node = SOMEWHERE;
      for (int candidate = 0; node == SOMEWHERE && candidate < Long.SIZE; candidate++) {
        Path link = processors.resolve("cpu" + processor).resolve("node" + candidate);
        node = Files.exists(link) ? candidate : SOMEWHERE;
      }
      if (node == SOMEWHERE || (found != SOMEWHERE && node != found)) {
        return OptionalInt.empty();
      }
      found = node;
    }
    return found == SOMEWHERE ? OptionalInt.empty() : OptionalInt.of(found);
  }
}
