package dev.tandem.oracle.cluster;

import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A machine of equal nodes with equal devices. Devices are numbered node by node.
 *
 * @param name for messages and tables
 * @param devicesPerNode of each node
 * @param links from the nearest to the farthest; the last one connects all devices. One device
 *     needs none
 * @param staging if messages go through the memory of the host
 */
public record Cluster(
    String name,
    int nodes,
    int devicesPerNode,
    Device device,
    @Default("[]") List<Link> links,
    Optional<HostStaging> staging) {

  public Cluster {
    if (nodes < 1) {
      throw new UsageException("nodes is %d, expected 1 or more".formatted(nodes));
    }
    if (devicesPerNode < 1) {
      throw new UsageException(
          "devices-per-node is %d, expected 1 or more".formatted(devicesPerNode));
    }
    if ((long) nodes * devicesPerNode > Integer.MAX_VALUE) {
      throw new UsageException(
          "nodes is %d, expected fewer: at most %d devices".formatted(nodes, Integer.MAX_VALUE));
    }
    links = complete(links, nodes, devicesPerNode);
  }

  /** All devices. */
  public int devices() {
    return nodes * devicesPerNode;
  }

  /**
   * The level that a group of consecutive devices crosses, the first of which is the first of its
   * node, rack or what else the level connects.
   *
   * @param span how many devices the group has
   */
  public Link link(int span) {
    for (Link link : links) {
      if (link.devices() >= span) {
        return link;
      }
    }
    throw new IllegalArgumentException("%s: no link connects %d devices".formatted(name, span));
  }

  /**
   * The same kind of machine with another number of devices: of one node, if they fit on it, or
   * else of whole nodes, which may have some more. Part of a node is all that is known of its kind
   * then, so ask the whole machine for larger ones.
   *
   * @throws UsageException if that needs a link that this machine does not have
   */
  public Cluster withDevices(int wanted) {
    if (wanted < 1) {
      throw new UsageException("devices must be at least 1, not " + wanted);
    }
    int perNode = Math.min(devicesPerNode, wanted);
    int needed = Math.ceilDiv(wanted, perNode);
    int all = needed * perNode;
    List<Link> grown = new ArrayList<>(links);
    if (!grown.isEmpty() && grown.getLast().devices() > devicesPerNode) {
      Link last = grown.removeLast();
      grown.add(last.withDevices(Math.max(last.devices(), all)));
    }
    try {
      return new Cluster(name, needed, perNode, device, grown, staging);
    } catch (UsageException e) {
      throw new UsageException(
          "cluster %s with %d devices: %s".formatted(name, all, e.getMessage()));
    }
  }

  /** The links in ascending order, the last with its number of devices. */
  private static List<Link> complete(List<Link> links, int nodes, int devicesPerNode) {
    int devices = nodes * devicesPerNode;
    List<Link> complete = new ArrayList<>(links);
    if (!complete.isEmpty() && complete.getLast().devices() == 0) {
      complete.add(complete.removeLast().withDevices(devices));
    }
    int connected = 1;
    for (Link link : complete) {
      if (link.devices() <= connected) {
        throw new UsageException(
            "links: %s connects %s, expected more than the %d before it: list them from the nearest"
                    .formatted(
                        link.name(),
                        link.devices() == 0 ? "all devices" : link.devices() + " devices",
                        connected)
                + " to the farthest");
      }
      connected = link.devices();
    }
    if (nodes > 1
        && devicesPerNode > 1
        && complete.stream().noneMatch(link -> link.devices() <= devicesPerNode)) {
      throw missing(
          "within a node of %d devices".formatted(devicesPerNode),
          "devices: %d, such as the bus or NVLink of a node".formatted(devicesPerNode));
    }
    if (connected < devices) {
      throw missing(
          connected <= devicesPerNode && nodes > 1
              ? "between the %d nodes".formatted(nodes)
              : "of more than %d of the %d devices".formatted(connected, devices),
          "devices: %d, such as %s"
              .formatted(
                  devices,
                  nodes > 1 ? "the network between nodes" : "the bus or NVLink of a node"));
    }
    return List.copyOf(complete);
  }

  private static UsageException missing(String what, String add) {
    return new UsageException("links: no link " + what + ": add one with " + add);
  }
}
