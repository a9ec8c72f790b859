package dev.tandem.comm.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.comm.TransportKind;
import dev.tandem.testkit.Watchdog;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where {@code /dev/shm} is small, as in containers, ranks still share memory. */
class SmallSharedFolderTest {

  private static final String MOUNT = "mount -t tmpfs -o size=1m tmpfs /dev/shm";

  /** A mount that only what is started here sees. */
  private static List<String> inNamespace(String then) {
    return List.of("unshare", "--mount", "sh", "-c", MOUNT + " && " + then, "sh");
  }

  private static boolean possible() {
    try {
      return new ProcessBuilder(inNamespace("true")).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Test
  void ranksShareMemoryWithoutAFolder() throws Exception {
    assumeTrue(possible(), "a mount of its own needs root and unshare");
    List<String> command = new ArrayList<>(inNamespace("exec \"$@\""));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(LauncherProcess.class.getName());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put(TransportKind.VARIABLE, "shm");
    Process launcher = builder.start();
    List<String> lines = new ArrayList<>();
    try (BufferedReader output = launcher.inputReader(UTF_8)) {
      Watchdog.within(Duration.ofMinutes(1), () -> awaitRunning(output, lines));
      for (String line : lines) {
        assertTrue(line.matches("\\[[01]] (pid \\d+|running|round \\d+)"), lines::toString);
        if (line.contains("] pid ")) {
          String process = line.substring(line.lastIndexOf(' ') + 1);
          String maps = Files.readString(Path.of("/proc", process, "maps"));
          assertTrue(maps.contains("/memfd:tandem-"), maps);
        }
      }
    } finally {
      launcher.destroyForcibly();
    }
  }

  private static int awaitRunning(BufferedReader output, List<String> lines) throws IOException {
    int running = 0;
    while (running < 2) {
      String line = output.readLine();
      assertTrue(line != null, lines::toString);
      lines.add(line);
      running += line.endsWith("] running") ? 1 : 0;
    }
    assertEquals(2, running);
    return running;
  }
}
