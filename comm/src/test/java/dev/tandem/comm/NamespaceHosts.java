package dev.tandem.comm;

import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.testkit.NetworkNamespaces;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Ranks on two hosts that are network namespaces; the launcher is at their switch. Needs root. */
final class NamespaceHosts implements AutoCloseable {

  private final NetworkNamespaces network;

  private NamespaceHosts(NetworkNamespaces network) {
    this.network = network;
  }

  /** Why there can be no such hosts here, if so. */
  static Optional<String> obstacle() {
    return NetworkNamespaces.obstacle();
  }

  /** Makes the pair of this number, from 0 to 99. */
  static NamespaceHosts create(int number) {
    return new NamespaceHosts(NetworkNamespaces.create(number));
  }

  /** Limits both cables, in both directions. */
  void limit(String rate) {
    network.limit(rate);
  }

  /** Pulls the plug of a host. */
  void cut(int side) {
    network.cut(side);
  }

  /** Plugs a host in again. */
  void mend(int side) {
    network.mend(side);
  }

  /**
   * Where ranks run.
   *
   * @param sides the side of every rank, 0 or 1
   */
  Placement placement(List<Integer> sides) {
    return new Placement(
        sides.stream().map(network::name).toList(),
        List.of("ip", "netns", "exec"),
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        System.getProperty("java.class.path"),
        new InetSocketAddress(InetAddress.ofLiteral(network.here()), 0),
        JobSecret.random());
  }

  /** Removes what there is of the pair; processes in it must have ended. */
  @Override
  public void close() {
    network.close();
  }
}
