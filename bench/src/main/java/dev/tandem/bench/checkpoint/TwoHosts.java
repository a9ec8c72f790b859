package dev.tandem.bench.checkpoint;

import dev.tandem.bench.Children;
import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.core.WorkFailedException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Two hosts that are network namespaces of this machine, each with a cable to a switch where this
 * process is, too. They share the file system. Needs root; one pair at a time on a machine, so what
 * an interrupted benchmark has left is removed first.
 */
final class TwoHosts implements AutoCloseable {

  private static final List<String> NAMES = List.of("tandem-bench-a", "tandem-bench-b");
  private static final String SWITCH = "tdmbench";
  private static final String NETWORK = "10.214.0.";

  private TwoHosts() {}

  /** Why there can be no such hosts here, if so. */
  static Optional<String> obstacle() {
    String probe = "tandem-probe-" + ProcessHandle.current().pid();
    try {
      ip("netns", "add", probe);
      ip("netns", "delete", probe);
      return Optional.empty();
    } catch (WorkFailedException | UncheckedIOException e) {
      return Optional.of("there are no network namespaces: " + e.getMessage());
    }
  }

  static TwoHosts create() {
    TwoHosts hosts = new TwoHosts();
    hosts.close();
    try {
      ip("link", "add", SWITCH, "type", "bridge");
      ip("address", "add", NETWORK + "1/24", "dev", SWITCH);
      ip("link", "set", SWITCH, "up");
      for (int side = 0; side < NAMES.size(); side++) {
        String host = NAMES.get(side);
        ip("netns", "add", host);
        ip("link", "add", SWITCH + side, "type", "veth", "peer", "name", "eth0", "netns", host);
        ip("link", "set", SWITCH + side, "master", SWITCH, "up");
        ip("-n", host, "address", "add", NETWORK + (2 + side) + "/24", "dev", "eth0");
        ip("-n", host, "link", "set", "eth0", "up");
        ip("-n", host, "link", "set", "lo", "up");
      }
      return hosts;
    } catch (RuntimeException e) {
      hosts.close();
      throw e;
    }
  }

  /** This many ranks, on one host and the other in turn. */
  Placement placement(int ranks) {
    return new Placement(
        IntStream.range(0, ranks).mapToObj(rank -> NAMES.get(rank % NAMES.size())).toList(),
        List.of("ip", "netns", "exec"),
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        System.getProperty("java.class.path"),
        new InetSocketAddress(InetAddress.ofLiteral(NETWORK + "1"), 0),
        JobSecret.random());
  }

  private static void ip(String... words) {
    List<String> command = Stream.concat(Stream.of("ip"), Stream.of(words)).toList();
    var _ = Children.run(command);
  }

  /** Removes what there is of them; processes in them must have ended. */
  @Override
  public void close() {
    for (int side = 0; side < NAMES.size(); side++) {
      attempt("link", "delete", SWITCH + side);
      attempt("netns", "delete", NAMES.get(side));
    }
    attempt("link", "delete", SWITCH);
  }

  private static void attempt(String... words) {
    try {
      ip(words);
    } catch (WorkFailedException e) {
      // It does not exist.
    }
  }
}
