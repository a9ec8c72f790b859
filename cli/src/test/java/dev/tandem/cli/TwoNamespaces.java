package dev.tandem.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Two hosts as network namespaces of this machine, each with a cable into a switch, where this
 * process is too. Needs root. What a crashed run has left is removed first.
 */
final class TwoNamespaces implements AutoCloseable {

  private static final String[] HOSTS = {"tandem-cli-a", "tandem-cli-b"};
  private static final String[] CABLES = {"tdmcli0", "tdmcli1"};
  private static final String SWITCH = "tdmclibr";
  private static final String NETWORK = "10.214.7.";

  private TwoNamespaces() {}

  /** Why there can be none here, if so. */
  static Optional<String> obstacle() {
    String probe = "tandem-cli-probe-" + ProcessHandle.current().pid();
    try {
      run("ip", "netns", "add", probe);
      run("ip", "netns", "delete", probe);
      return Optional.empty();
    } catch (IllegalStateException e) {
      return Optional.of("no network namespaces here: " + e.getMessage());
    }
  }

  static TwoNamespaces create() {
    TwoNamespaces made = new TwoNamespaces();
    made.close();
    try {
      run("ip", "link", "add", SWITCH, "type", "bridge");
      run("ip", "address", "add", NETWORK + "1/24", "dev", SWITCH);
      run("ip", "link", "set", SWITCH, "up");
      for (int i = 0; i < HOSTS.length; i++) {
        String host = HOSTS[i];
        run("ip", "netns", "add", host);
        run("ip", "link", "add", CABLES[i], "type", "veth", "peer", "name", "eth0", "netns", host);
        run("ip", "link", "set", CABLES[i], "master", SWITCH, "up");
        run("ip", "-n", host, "address", "add", NETWORK + (2 + i) + "/24", "dev", "eth0");
        run("ip", "-n", host, "link", "set", "eth0", "up");
        run("ip", "-n", host, "link", "set", "lo", "up");
      }
      return made;
    } catch (RuntimeException e) {
      made.close();
      throw e;
    }
  }

  String first() {
    return HOSTS[0];
  }

  String second() {
    return HOSTS[1];
  }

  /** This process's address in the network. */
  String bind() {
    return NETWORK + "1";
  }

  @Override
  public void close() {
    for (int i = 0; i < HOSTS.length; i++) {
      attempt("ip", "link", "delete", CABLES[i]);
      attempt("ip", "netns", "delete", HOSTS[i]);
    }
    attempt("ip", "link", "delete", SWITCH);
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
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (process.onExit().join().exitValue() != 0) {
        throw new IllegalStateException(String.join(" ", command) + ": " + output);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }
}
