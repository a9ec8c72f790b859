package dev.tandem.oracle.sync;

import dev.tandem.core.UsageException;
import java.util.List;

/**
 * All numbers of a simulation. Immutable.
 *
 * @param origin where they come from, for the reader of results
 */
public record SyncParameters(
    String origin, ClusterModel cluster, SchedulingNoise noise, List<NetworkProfile> networks) {

  public SyncParameters {
    networks = List.copyOf(networks);
  }

  /** The network with this name, in any case. */
  public NetworkProfile network(String name) {
    return networks.stream()
        .filter(network -> network.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "network %s: known are %s"
                        .formatted(
                            name,
                            String.join(
                                ", ", networks.stream().map(NetworkProfile::name).toList()))));
  }

  public SyncParameters with(SchedulingNoise other) {
    return new SyncParameters(origin, cluster, other, networks);
  }

  SyncParameters with(ClusterModel other) {
    return new SyncParameters(origin, other, noise, networks);
  }

  SyncParameters withOrigin(String other) {
    return new SyncParameters(other, cluster, noise, networks);
  }
}
