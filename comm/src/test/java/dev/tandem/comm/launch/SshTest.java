package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.core.ExitCode;
import dev.tandem.testkit.Watchdog;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks that are really started by ssh, on a server of this test's own. */
@Tag("slow")
class SshTest {

  private static final String HOST = "127.0.0.1";
  private static final Duration LIMIT = Duration.ofMinutes(1);

  @TempDir Path folder;
  private SshServer server;

  @BeforeEach
  void start() throws Exception {
    Optional<String> obstacle = SshServer.obstacle();
    obstacle.ifPresent(reason -> System.out.println("SshTest is skipped: " + reason));
    assumeTrue(obstacle.isEmpty());
    server = SshServer.start(folder);
  }

  @AfterEach
  void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  private LaunchResult launch(List<String> lines, String... arguments) throws Exception {
    Placement here = Placement.here(3);
    Placement placement =
        new Placement(
            List.of("localhost", HOST, HOST),
            server.shell(),
            here.java(),
            here.classPath(),
            here.meetingPoint(),
            here.secret());
    LaunchPlan plan = LaunchPlan.of(3, SummingRank.class.getName(), List.of(arguments));
    RankOutput output =
        (rank, source, text) -> {
          lines.add(rank + ": " + text);
          System.out.println(rank + ": " + text);
        };
    return Watchdog.within(
        LIMIT, () -> new ProcessLauncher(plan, placement, output, lines::add).run());
  }

  @Test
  void ranksOfTwoHostsSum() throws Exception {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    assertEquals(LaunchResult.ALL_WELL, launch(lines, "5", "-1"), lines::toString);
    assertEquals(3, lines.stream().filter(line -> line.endsWith("sum 6")).count());
  }

  @Test
  void theExitCodeComesBack() throws Exception {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    LaunchResult result = launch(lines, "5", "2");
    assertEquals(ExitCode.FAILED.code(), result.exitCode(), lines::toString);
    assertEquals(OptionalInt.of(2), result.failedRank());
  }

  @ParameterizedTest
  @ValueSource(strings = {"KILL", "TERM"})
  void noOrphanWhenTheLauncherEnds(String signal) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(LauncherProcess.class.getName());
    command.addAll(server.shell());
    // The host's name follows the words: the ranks' hosts a and b are both the server.
    command.addAll(List.of("-o", "HostName=" + HOST));
    Process launcher = new ProcessBuilder(command).redirectErrorStream(true).start();
    List<ProcessHandle> ranks = new ArrayList<>();
    Watchdog.within(
        LIMIT,
        () -> {
          BufferedReader output = launcher.inputReader(StandardCharsets.UTF_8);
          int running = 0;
          while (running < 2) {
            String line = output.readLine();
            System.out.println(line);
            if (line.contains("] pid ")) {
              long pid = Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
              ranks.add(ProcessHandle.of(pid).orElseThrow());
            }
            running += line.endsWith("] running") ? 1 : 0;
          }
          new ProcessBuilder("kill", "-" + signal, Long.toString(launcher.pid()))
              .start()
              .onExit()
              .join();
          for (ProcessHandle rank : ranks) {
            rank.onExit().get(10, TimeUnit.SECONDS);
            assertEquals(List.of(), SharedFiles.of(rank.pid()));
          }
          return null;
        });
    assertEquals(2, ranks.size());
    assertTrue(launcher.waitFor(10, TimeUnit.SECONDS));
  }
}
