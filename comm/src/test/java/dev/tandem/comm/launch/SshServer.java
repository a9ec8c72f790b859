package dev.tandem.comm.launch;

import dev.tandem.testkit.Watchdog;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A real sshd of this test's own: a free port of the loopback interface, throw-away keys. */
final class SshServer implements AutoCloseable {

  /** sshd wants this folder when root starts it; where no init system makes it, the test does. */
  private static final Path PRIVILEGE_SEPARATION = Path.of("/run/sshd");

  private final Path folder;
  private final int port;
  private final boolean madeFolder;
  private final Process process;

  private SshServer(Path folder, int port, boolean madeFolder, Process process) {
    this.folder = folder;
    this.port = port;
    this.madeFolder = madeFolder;
    this.process = process;
  }

  /** Why there can be no server here, if so. */
  static Optional<String> obstacle() {
    for (String program : List.of("/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen")) {
      if (!Files.isExecutable(Path.of(program))) {
        return Optional.of("there is no " + program + " (Debian: openssh-server, openssh-client)");
      }
    }
    return Optional.empty();
  }

  static SshServer start(Path folder) throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    makeKey(folder.resolve("host-key"));
    makeKey(folder.resolve("user-key"));
    Files.writeString(
        folder.resolve("config"),
        """
        Port %d
        ListenAddress 127.0.0.1
        HostKey %s
        AuthorizedKeysFile %s
        StrictModes no
        UsePAM no
        PasswordAuthentication no
        PidFile none
        """
            .formatted(port, folder.resolve("host-key"), folder.resolve("user-key.pub")));
    boolean makeFolder =
        System.getProperty("user.name").equals("root") && !Files.exists(PRIVILEGE_SEPARATION);
    if (makeFolder) {
      Files.createDirectory(PRIVILEGE_SEPARATION);
    }
    Process process =
        new ProcessBuilder("/usr/sbin/sshd", "-D", "-e", "-f", folder.resolve("config").toString())
            .redirectErrorStream(true)
            .start();
    SshServer server = new SshServer(folder, port, makeFolder, process);
    Watchdog.within(Duration.ofSeconds(20), server::awaitListening);
    return server;
  }

  private static void makeKey(Path file) throws IOException {
    int code =
        new ProcessBuilder(
                "/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file.toString())
            .start()
            .onExit()
            .join()
            .exitValue();
    if (code != 0) {
      throw new IOException("ssh-keygen ended with " + code);
    }
  }

  private Void awaitListening() throws IOException {
    BufferedReader log = process.inputReader();
    for (String line = log.readLine(); line != null; line = log.readLine()) {
      if (line.startsWith("Server listening")) {
        Thread.ofVirtual().start(() -> log.lines().forEach(System.out::println));
        return null;
      }
      System.out.println(line);
    }
    throw new IOException("sshd does not start");
  }

  /** The words of a remote shell that reaches this server and no other. */
  List<String> shell() {
    return List.of(
        "/usr/bin/ssh",
        "-F",
        "none",
        "-o",
        "BatchMode=yes",
        "-o",
        "StrictHostKeyChecking=no",
        "-o",
        "UserKnownHostsFile=/dev/null",
        "-o",
        "LogLevel=ERROR",
        "-i",
        folder.resolve("user-key").toString(),
        "-p",
        Integer.toString(port));
  }

  @Override
  public void close() throws IOException {
    process.toHandle().destroy();
    process.onExit().join();
    if (madeFolder) {
      Files.deleteIfExists(PRIVILEGE_SEPARATION);
    }
  }
}
