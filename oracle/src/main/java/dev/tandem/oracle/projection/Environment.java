package dev.tandem.oracle.projection;

import dev.tandem.oracle.cluster.Cluster;
import dev.tandem.oracle.cluster.HostStaging;
import dev.tandem.oracle.collective.CollectiveSeconds;
import dev.tandem.oracle.collective.LinkCollectives;
import dev.tandem.oracle.profile.LayerSeconds;
import dev.tandem.oracle.profile.MeasuredCollectives;
import dev.tandem.oracle.profile.Profile;
import dev.tandem.oracle.profile.ProfiledLayers;
import java.util.Set;

/**
 * On what a network is trained.
 *
 * @param devices that there are
 * @param devicesPerNode devices that share a node
 * @param memoryBytes of a device
 * @param asynchronous whether a device computes while it communicates; not so where both are work
 *     of the same processor cores
 * @param waiting share of a pass that ranks which do the same wait for the slowest of them
 * @param waitingAtExchanges the same where they meet at exchanges, too
 * @param stagingBytesPerSecond from the host's memory to a device; infinite where they are the same
 */
public record Environment(
    int devices,
    int devicesPerNode,
    double memoryBytes,
    boolean asynchronous,
    double waiting,
    double waitingAtExchanges,
    double stagingBytesPerSecond,
    LayerSeconds layers,
    CollectiveSeconds collectives) {

  /** Accelerators of a cluster, which compute while they communicate. */
  public static Environment of(
      Cluster cluster, LayerSeconds layers, Set<Term> terms, double congestion) {
    return new Environment(
        cluster.devices(),
        cluster.devicesPerNode(),
        cluster.device().memoryBytes(),
        true,
        0,
        0,
        cluster.staging().map(HostStaging::bytesPerSecond).orElse(Double.POSITIVE_INFINITY),
        layers,
        new LinkCollectives(
            cluster,
            terms.contains(Term.ALGORITHMS),
            terms.contains(Term.CONGESTION) ? congestion : 1,
            terms.contains(Term.STAGING)));
  }

  /**
   * The machine of a profile, with as many devices as ranks were busy. Where these have all of its
   * cores, communication is work of the same cores.
   */
  public static Environment of(Profile profile) {
    return new Environment(
        profile.ranks(),
        profile.ranks(),
        profile.memoryBytes() == 0 ? Double.POSITIVE_INFINITY : profile.memoryBytes(),
        profile.processors() > profile.ranks() * profile.threads(),
        profile.perPass().waiting(),
        profile.perPass().waitingAtExchanges(),
        Double.POSITIVE_INFINITY,
        new ProfiledLayers(profile),
        new MeasuredCollectives(profile));
  }

  /** The same where communication is work of the devices themselves, which are processor cores. */
  public Environment onProcessor() {
    return new Environment(
        devices,
        devicesPerNode,
        memoryBytes,
        false,
        waiting,
        waitingAtExchanges,
        stagingBytesPerSecond,
        layers,
        collectives);
  }

  /** How much longer work takes because several ranks share a device. */
  double crowding(int ranks) {
    return Math.max(1, (double) ranks / devices);
  }
}
