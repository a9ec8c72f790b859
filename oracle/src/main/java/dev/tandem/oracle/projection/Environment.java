package dev.tandem.oracle.projection;

import dev.tandem.oracle.collective.CollectiveSeconds;
import dev.tandem.oracle.profile.LayerSeconds;

/**
 * On what a network is trained.
 *
 * @param devices that there are
 * @param devicesPerNode devices that share a node
 * @param memoryBytes of a device
 * @param asynchronous whether a device computes while it communicates; not so where both are work
 *     of the same processor cores
 * @param stagingBytesPerSecond from the host's memory to a device; infinite where they are the same
 */
public record Environment(
    int devices,
    int devicesPerNode,
    double memoryBytes,
    boolean asynchronous,
    double stagingBytesPerSecond,
    LayerSeconds layers,
    CollectiveSeconds collectives) {

  /** How much longer work takes because several ranks share a device. */
  double crowding(int ranks) {
    return Math.max(1, (double) ranks / devices);
  }
}
