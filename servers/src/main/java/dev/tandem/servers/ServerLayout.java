package dev.tandem.servers;

import dev.tandem.comm.topology.Level;
import dev.tandem.comm.topology.RankPlaces;
import dev.tandem.core.UsageException;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Which ranks of a job do what. Immutable, and the same on all ranks.
 *
 * <p>{@code Note [traffic bytes]}: let {@code n} ranks all work and hold a shard, of {@code P}
 * bytes together, in groups of {@code k} that are near each other. A step moves the gradient and
 * the parameters, once each:
 *
 * <pre>
 *                  near                         far
 * without proxies  2 P (k - 1)                  2 P (n - k)
 * with proxies     2 P (k - 1) (n/k + 1/k)      2 P (n - k) / k
 * </pre>
 *
 * <p>Without proxies every worker sends each remote shard its part of the gradient; with them only
 * one rank of {@code k} does, and the others send theirs to it. Every message between two ranks has
 * a header besides: a worker or proxy sends 2 * 32 bytes to each remote store that it uses and gets
 * 24 back.
 *
 * @param places where the ranks are
 * @param workers ranks that push gradients, ascending
 * @param servers ranks that hold a shard each, in the order of shards; workers or others
 * @param proxies at these levels, nearest first, every group of workers (or of the proxies below)
 *     that has more than one member has a proxy, on its lowest rank
 * @param near the farthest level whose messages count as near
 */
public record ServerLayout(
    RankPlaces places,
    List<Integer> workers,
    List<Integer> servers,
    List<Level> proxies,
    Level near) {

  public ServerLayout {
    workers = List.copyOf(new TreeSet<>(workers));
    servers = List.copyOf(servers);
    proxies = List.copyOf(proxies);
    checkRanks("workers", workers, places.ranks());
    checkRanks("servers", servers, places.ranks());
    for (int i = 0; i < proxies.size(); i++) {
      if (proxies.get(i) == Level.PROCESS
          || (i > 0 && proxies.get(i).compareTo(proxies.get(i - 1)) <= 0)) {
        throw new UsageException(
            "levels of proxies are node, switch, rack or machine, nearest first, not " + proxies);
      }
    }
  }

  private static void checkRanks(String role, List<Integer> ranks, int size) {
    if (ranks.isEmpty()
        || ranks.stream().distinct().count() < ranks.size()
        || ranks.stream().anyMatch(rank -> rank < 0 || rank >= size)) {
      throw new UsageException(
          "%s must be one or more different ranks below %d, not %s".formatted(role, size, ranks));
    }
  }

  /** All ranks work and hold a shard, without proxies; the ranks of a node are near each other. */
  public static ServerLayout beside(RankPlaces places) {
    List<Integer> everyone = IntStream.range(0, places.ranks()).boxed().toList();
    return new ServerLayout(places, everyone, everyone, List.of(), Level.NODE);
  }

  /** The same with these servers; ranks that are no workers have nothing else to do. */
  public ServerLayout withServers(List<Integer> other) {
    return new ServerLayout(places, workers, other, proxies, near);
  }

  /** The same with these workers. */
  public ServerLayout withWorkers(List<Integer> other) {
    return new ServerLayout(places, other, servers, proxies, near);
  }

  /** The same with proxies at these levels, up to the highest of which ranks count as near. */
  public ServerLayout withProxies(List<Level> levels) {
    return new ServerLayout(
        places, workers, servers, levels, levels.isEmpty() ? near : levels.getLast());
  }

  /** The same, where ranks up to this level count as near. */
  public ServerLayout withNear(Level level) {
    return new ServerLayout(places, workers, servers, proxies, level);
  }

  /** Whether messages between two ranks count as near. */
  boolean isNear(int one, int other) {
    return places.between(one, other).compareTo(near) <= 0;
  }

  /** The ranks that talk to the servers, ascending. */
  List<Integer> clients() {
    return entering(proxies.size());
  }

  /** The ranks that talk to the proxies of a level, or past the last one to the servers. */
  private List<Integer> entering(int level) {
    return workers.stream().map(worker -> head(worker, level)).distinct().sorted().toList();
  }

  /** The rank that speaks for another after a number of levels of proxies. */
  private int head(int rank, int levels) {
    return levels == 0
        ? rank
        : IntStream.of(places.group(proxies.get(levels - 1), rank))
            .filter(workers::contains)
            .findFirst()
            .orElseThrow();
  }

  /** The clients of the proxy of a level that would serve a rank, ascending; maybe it alone. */
  List<Integer> membersWith(int rank, int level) {
    int head = head(rank, level + 1);
    return entering(level).stream().filter(other -> head(other, level + 1) == head).toList();
  }

  /** The levels at which a rank has a proxy. */
  List<Integer> proxiesOn(int rank) {
    return IntStream.range(0, proxies.size())
        .filter(level -> workers.contains(rank) && head(rank, level + 1) == rank)
        .filter(level -> membersWith(rank, level).size() > 1)
        .boxed()
        .toList();
  }

  /** The rank whose proxy this rank talks to instead of the servers, if it is another. */
  Optional<Integer> parent(int rank) {
    return IntStream.rangeClosed(1, proxies.size())
        .map(levels -> head(rank, levels))
        .filter(head -> head != rank)
        .boxed()
        .findFirst();
  }

  /** What each client of the servers contributes to a step, if all workers contribute alike. */
  double[] shares() {
    return clients().stream()
        .mapToDouble(
            client ->
                (double)
                        workers.stream()
                            .filter(worker -> head(worker, proxies.size()) == client)
                            .count()
                    / workers.size())
        .toArray();
  }
}
