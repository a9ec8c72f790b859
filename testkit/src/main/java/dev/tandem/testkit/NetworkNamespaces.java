package dev.tandem.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Two hosts as network namespaces of this machine, each with a cable into one switch, where this
 * process is too. Several pairs may exist at once, told apart by number; what a crashed run has
 * left of the same number is removed first. Needs root.
 */
public final class NetworkNamespaces implements AutoCloseable {

  private static final String[] SIDES = {"a", "b"};

  private final int number;

  private NetworkNamespaces(int number) {
    this.number = number;
  }

  /** Why there can be no such hosts here, if so. */
  public static Optional<String> obstacle() {
    try {
      run("ip", "netns", "add", "tandem-probe-" + ProcessHandle.current().pid());
      run("ip", "netns", "delete", "tandem-probe-" + ProcessHandle.current().pid());
      return Optional.empty();
    } catch (IllegalStateException e) {
      return Optional.of("no network namespaces here: " + e.getMessage());
    }
  }

  /** Makes the pair of this number, from 0 to 99. */
  public static NetworkNamespaces create(int number) {
    NetworkNamespaces hosts = new NetworkNamespaces(number);
    hosts.close();
    try {
      run("ip", "link", "add", hosts.bridge(), "type", "bridge");
      run("ip", "address", "add", hosts.address(1) + "/24", "dev", hosts.bridge());
      run("ip", "link", "set", hosts.bridge(), "up");
      for (int side = 0; side < SIDES.length; side++) {
        hosts.plug(side);
      }
      return hosts;
    } catch (RuntimeException e) {
      hosts.close();
      throw e;
    }
  }

  private void plug(int side) {
    String host = name(side);
    run("ip", "netns", "add", host);
    run("ip", "link", "add", cable(side), "type", "veth", "peer", "name", "eth0", "netns", host);
    run("ip", "link", "set", cable(side), "master", bridge(), "up");
    run("ip", "-n", host, "address", "add", address(2 + side) + "/24", "dev", "eth0");
    run("ip", "-n", host, "link", "set", "eth0", "up");
    run("ip", "-n", host, "link", "set", "lo", "up");
  }

  /** The address in the switch, where this process is. */
  public String here() {
    return address(1);
  }

  /** Limits both cables, in both directions. */
  public void limit(String rate) {
    for (int side = 0; side < SIDES.length; side++) {
      limit(side, rate);
    }
  }

  /** Limits the cable of one host, in both directions; the rate is such as {@code 1gbit}. */
  public void limit(int side, String rate) {
    String[] shaper = {"root", "tbf", "rate", rate, "burst", "128kb", "latency", "50ms"};
    run(concat(new String[] {"tc", "qdisc", "add", "dev", cable(side)}, shaper));
    run(concat(new String[] {"tc", "-n", name(side), "qdisc", "add", "dev", "eth0"}, shaper));
  }

  /** Pulls the plug of a host. */
  public void cut(int side) {
    run("ip", "link", "set", cable(side), "down");
  }

  /** Plugs a host in again. */
  public void mend(int side) {
    run("ip", "link", "set", cable(side), "up");
  }

  /** The namespace of a host: what {@code ip netns exec} enters. */
  public String name(int side) {
    return "tandem-test-" + number + SIDES[side];
  }

  private String bridge() {
    return "tdmbr" + number;
  }

  private String cable(int side) {
    return "tdmv" + number + SIDES[side];
  }

  private String address(int last) {
    return "10.213." + number + "." + last;
  }

  private static String[] concat(String[] first, String[] second) {
    String[] all = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, all, first.length, second.length);
    return all;
  }

  /** Removes what there is of the pair; processes in it must have ended. */
  @Override
  public void close() {
    for (int side = 0; side < SIDES.length; side++) {
      attempt("ip", "link", "delete", cable(side));
      attempt("ip", "netns", "delete", name(side));
    }
    attempt("ip", "link", "delete", bridge());
  }

  private static void attempt(String... command) {
    try {
      run(command);
    } catch (IllegalStateException e) {
      // It does not exist.
    }
  }

  private static void run(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
      if (process.onExit().join().exitValue() != 0) {
        throw new IllegalStateException(String.join(" ", command) + ": " + output);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }
}
