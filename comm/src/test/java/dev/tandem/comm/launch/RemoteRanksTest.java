package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.FaultLimits;
import dev.tandem.core.ExitCode;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranks that are started by a remote shell, which for these tests runs them on this machine. */
class RemoteRanksTest {

  private static final List<String> SMALL =
      List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED");

  @TempDir Path folder;

  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
  private final Map<Integer, Long> processes = Collections.synchronizedMap(new TreeMap<>());

  private LaunchPlan plan(int ranks, String... arguments) {
    return new LaunchPlan(
        ranks,
        SummingRank.class.getName(),
        List.of(arguments),
        Map.of(FaultLimits.SILENCE, "1.5"),
        SMALL,
        Duration.ofSeconds(60),
        Duration.ofSeconds(3),
        Duration.ofSeconds(1));
  }

  private LaunchResult launch(LaunchPlan plan, List<String> shell, List<String> hosts)
      throws Exception {
    return launch(plan, shell, hosts, process -> {});
  }

  /** Runs the job and does something to the process of rank 1 when it runs. */
  private LaunchResult launch(
      LaunchPlan plan, List<String> shell, List<String> hosts, Consumer<Long> strike)
      throws Exception {
    Placement here = Placement.here(plan.ranks());
    Placement placement =
        new Placement(
            hosts, shell, here.java(), here.classPath(), here.meetingPoint(), here.secret());
    RankOutput output =
        (rank, source, text) -> {
          lines.add(rank + ": " + text);
          if (text.startsWith("pid ")) {
            processes.put(rank, Long.parseLong(text.substring(4)));
          }
          if (rank == 1 && text.equals("running")) {
            strike.accept(processes.get(1));
          }
        };
    return Watchdog.within(
        Duration.ofMinutes(1),
        () -> new ProcessLauncher(plan, placement, output, lines::add).run());
  }

  private void signal(String name, long process) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(process)).start().onExit().join();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<String> shell() throws IOException {
    return List.of(RemoteShell.write(folder).toString());
  }

  @Test
  void ranksHereAndElsewhereWorkTogether() throws Exception {
    LaunchResult result = launch(plan(3, "5", "-1"), shell(), List.of("localhost", "b", "b"));
    assertEquals(LaunchResult.ALL_WELL, result, lines::toString);
    assertEquals(3, lines.stream().filter(line -> line.endsWith("sum 6")).count());
    assertFalse(lines.toString().contains(RankCommand.PROCESS), lines::toString);
  }

  @Test
  void theSecretIsOnNoCommandLine() throws Exception {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    Placement here = Placement.here(2);
    Placement placement =
        new Placement(
            List.of("a", "b"),
            shell(),
            here.java(),
            here.classPath(),
            here.meetingPoint(),
            here.secret());
    RankOutput output =
        (rank, source, text) -> {
          if (text.equals("running")) {
            ProcessHandle.current()
                .descendants()
                .forEach(process -> seen.add(commandLine(process.pid())));
          }
        };
    LaunchResult result =
        Watchdog.within(
            Duration.ofMinutes(1),
            () -> new ProcessLauncher(plan(2, "300", "-1"), placement, output, seen::add).run());
    assertEquals(LaunchResult.ALL_WELL, result);
    assertTrue(seen.toString().contains("SummingRank"), seen::toString);
    assertFalse(seen.toString().contains(here.secret().hex()));
  }

  private static String commandLine(long process) {
    try {
      return Files.readString(Path.of("/proc/" + process + "/cmdline"));
    } catch (IOException e) {
      return "";
    }
  }

  @Test
  void aKilledRankIsNamed() throws Exception {
    LaunchResult result =
        launch(plan(2, "0", "-1"), shell(), List.of("a", "b"), process -> signal("KILL", process));
    assertEquals(ExitCode.PEER_LOST.code(), result.exitCode(), lines::toString);
    assertEquals(OptionalInt.of(1), result.failedRank(), lines::toString);
  }

  /** The end of its input does not reach a process that stands still. */
  @Tag("slow")
  @Test
  void aRankThatStandsStillIsEndedOnItsHost() throws Exception {
    LaunchResult result =
        launch(plan(2, "0", "-1"), shell(), List.of("a", "b"), process -> signal("STOP", process));
    assertEquals(ExitCode.PEER_LOST.code(), result.exitCode(), lines::toString);
    assertEquals(OptionalInt.of(1), result.failedRank(), lines::toString);
    assertTrue(ProcessHandle.of(processes.get(1)).isEmpty(), lines::toString);
  }

  @Test
  void aHostThatCannotBeReachedEndsTheJobAtOnce() throws Exception {
    Path shell =
        Files.writeString(folder.resolve("broken"), "#!/bin/sh\necho no way >&2\nexit 255");
    assertTrue(shell.toFile().setExecutable(true));
    long start = System.nanoTime();
    LaunchResult result =
        launch(plan(2, "0", "-1"), List.of(shell.toString()), List.of("localhost", "b"));
    assertEquals(
        "lost rank 1: the remote shell of host b failed, or rank 1 was ended by a signal there",
        result.summary());
    assertTrue(lines.contains("1: no way"), lines::toString);
    assertTrue(
        lines.stream().anyMatch(line -> line.startsWith("0: error: rank 0 of 2 cannot join")),
        lines::toString);
    assertTrue(System.nanoTime() - start < Duration.ofSeconds(20).toNanos());
  }

  @Test
  void wordsArriveAsTheyAre() {
    assertEquals("'it'\\''s $HOME'", RankCommand.quoted("it's $HOME"));
  }
}
