package dev.tandem.oracle.collective;

import dev.tandem.oracle.cluster.Cluster;
import dev.tandem.oracle.cluster.Link;
import dev.tandem.parallel.cost.PlanTraffic.Operation;

/**
 * Collectives over the links of a cluster: a message takes the latency of its link and its bytes at
 * the link's rate. With p ranks, S bytes of the whole buffer, latency a and b seconds per byte:
 *
 * <ul>
 *   <li>allgather and reduce-scatter around a ring: (p-1)(a + b S/p)
 *   <li>allreduce around a ring: 2(p-1)(a + b S/p)
 *   <li>allreduce along two trees in k pieces: 2(log p + k)(a + b S/2k)
 *   <li>allreduce by levels: reduce-scatter within the node, allreduce of a share between nodes,
 *       allgather within the node
 * </ul>
 *
 * A group of which each node has several ranks is as fast as its slowest link.
 */
public final class LinkCollectives implements CollectiveSeconds {

  private final Cluster cluster;
  private final boolean chooses;
  private final double congestion;
  private final boolean staged;

  /**
   * Collectives of a cluster.
   *
   * @param chooses whether the fastest form of an allreduce is taken, rather than the ring
   * @param congestion how many times longer bytes take between nodes because of others' traffic
   * @param staged whether messages go through the host's memory, if the cluster has it so
   */
  public LinkCollectives(Cluster cluster, boolean chooses, double congestion, boolean staged) {
    this.cluster = cluster;
    this.chooses = chooses;
    this.congestion = congestion;
    this.staged = staged;
  }

  @Override
  public Group typical(Group pair) {
    int span = 1;
    for (Link link : cluster.links()) {
      if (link.devices() >= Math.min(pair.span(), cluster.devices())) {
        return new Group(pair.ranks(), span, pair.flows());
      }
      span = link.devices();
    }
    return pair;
  }

  @Override
  public double of(Operation operation, Group group, long bytes, int messages) {
    if (group.ranks() == 1) {
      return 0;
    }
    Rate rate = rate(group, group.flows());
    return switch (operation) {
      case ALLGATHER, REDUCE_SCATTER -> ring(group.ranks(), bytes, rate);
      case ALLREDUCE -> allreduce(group, bytes, rate);
      case EXCHANGE, SEND -> messages * rate.latency + bytes * rate.bothWays();
    };
  }

  /**
   * What a link takes.
   *
   * @param perByte seconds, with all that share it
   */
  private record Rate(double latency, double perByte, boolean duplex) {

    double bothWays() {
      return duplex ? perByte : 2 * perByte;
    }
  }

  private Rate rate(Group group, int flows) {
    Link link = cluster.link((int) Math.min(group.span(), cluster.devices()));
    boolean between = link.devices() > cluster.devicesPerNode();
    double perByte = link.oversubscription() / link.bytesPerSecond();
    if (between) {
      // The network cards of a node are for all of its devices; links within it are a device's own.
      perByte *= Math.max(1, (double) flows / link.lanes()) * congestion;
    }
    if (staged && cluster.staging().isPresent()) {
      perByte += 2 / cluster.staging().get().bytesPerSecond();
    }
    return new Rate(link.latencySeconds(), perByte, link.duplex());
  }

  private double allreduce(Group group, long bytes, Rate rate) {
    double ring = 2 * ring(group.ranks(), bytes, rate);
    if (!chooses) {
      return ring;
    }
    double best = Math.min(ring, trees(group.ranks(), bytes, rate));
    int members = Math.clamp(cluster.devicesPerNode() / group.stride(), 1, group.ranks());
    if (members > 1 && members < group.ranks() && group.ranks() % members == 0) {
      Rate inside = rate(new Group(members, group.stride(), 1), 1);
      Rate outside = rate(group, group.flows() * members);
      int nodes = group.ranks() / members;
      long share = Math.ceilDiv(bytes, members);
      double between = Math.min(2 * ring(nodes, share, outside), trees(nodes, share, outside));
      best = Math.min(best, 2 * ring(members, bytes, inside) + between);
    }
    return best;
  }

  private static double ring(int ranks, long bytes, Rate rate) {
    return (ranks - 1) * (rate.latency + rate.perByte * bytes / ranks);
  }

  /** Both trees at once, each with half of the bytes, in as many pieces as are best. */
  private static double trees(int ranks, long bytes, Rate rate) {
    double height = Math.ceil(Math.log(ranks) / Math.log(2));
    double half = rate.perByte * bytes / 2;
    double pieces =
        rate.latency == 0
            ? Math.max(1, bytes / 4096.0)
            : Math.max(1, Math.sqrt(height * half / rate.latency));
    return 2 * (height + pieces) * (rate.latency + half / pieces);
  }
}
