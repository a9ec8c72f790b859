package dev.tandem.comm.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs in a control group (version 1) with a limit of memory. */
class MemoryLimitTest {

  private static final long LIMIT = 400L << 20;

  private final Path group =
      Path.of("/sys/fs/cgroup/memory/tandem-test-" + ProcessHandle.current().pid());

  @BeforeEach
  void limit() throws IOException {
    assumeTrue(
        Files.isWritable(group.getParent().resolve("memory.limit_in_bytes")),
        "limits of memory need root and control groups of version 1 in " + group.getParent());
    try {
      Files.createDirectory(group);
      Files.writeString(group.resolve("memory.limit_in_bytes"), Long.toString(LIMIT));
    } catch (IOException e) {
      assumeTrue(false, "no control group can be made here: " + e);
    }
  }

  @AfterEach
  void remove() throws IOException {
    Files.deleteIfExists(group);
  }

  private List<String> inGroup(String then) {
    return List.of("sh", "-c", "echo $$ >" + group + "/cgroup.procs\n" + then, "sh");
  }

  @Test
  void aRankOnAnotherHostSharesTheLimitThere() throws Exception {
    Process shell = new ProcessBuilder(inGroup(HeapShare.script(1) + "echo $heap")).start();
    assertEquals(
        HeapShare.megabytes(LIMIT, 1) + "\n",
        new String(shell.getInputStream().readAllBytes(), UTF_8));
    assertEquals(0, shell.waitFor());
  }

  @Test
  void theLastLineSaysThatMemoryWasLacking() throws Exception {
    List<String> command = new ArrayList<>(inGroup("exec \"$@\""));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-D" + LauncherProcess.PROGRAM + "=" + HungryRank.class.getName());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(LauncherProcess.class.getName());
    Process launcher = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output =
        Watchdog.within(
            Duration.ofMinutes(1),
            () -> new String(launcher.getInputStream().readAllBytes(), UTF_8));
    assertEquals(3, launcher.waitFor(), output);
    assertTrue(
        output.endsWith(
            "lost rank 1: rank 1 was ended by signal 9 for lack of memory: the limit here is 400"
                + " MiB\n"),
        output);
  }
}
