package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.FaultLimits;
import dev.tandem.comm.TransportKind;
import dev.tandem.core.ExitCode;
import dev.tandem.testkit.Watchdog;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real processes, really killed. */
class ProcessLauncherTest {

  private static final List<String> SMALL =
      List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED");

  @TempDir Path folder;

  /** What the ranks printed, and what to do as soon as they have printed something. */
  private static final class Transcript implements RankOutput {

    interface Reaction {
      void react(int rank, long pid) throws IOException;
    }

    private final List<String> lines = new ArrayList<>();
    private final long[] pids;
    private final int victim;
    private final Reaction reaction;
    private int running;

    Transcript(int ranks, int victim, Reaction reaction) {
      this.pids = new long[ranks];
      this.victim = victim;
      this.reaction = reaction;
    }

    @Override
    public synchronized void line(int rank, Source source, String text) {
      lines.add(rank + ": " + text);
      if (text.startsWith("pid ")) {
        pids[rank] = Long.parseLong(text.substring(4));
      }
      if (text.equals("running") && ++running == pids.length && victim >= 0) {
        try {
          reaction.react(victim, pids[victim]);
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      }
    }

    synchronized long count(String part) {
      return lines.stream().filter(line -> line.contains(part)).count();
    }

    @Override
    public synchronized String toString() {
      return String.join("\n", lines);
    }
  }

  private static LaunchPlan plan(int ranks, String... arguments) {
    return LaunchPlan.of(ranks, SummingRank.class.getName(), List.of(arguments))
        .withJvmFlags(SMALL);
  }

  private static LaunchResult launch(LaunchPlan plan, RankOutput output) throws Exception {
    return Watchdog.within(
        Duration.ofMinutes(1),
        () -> new ProcessLauncher(plan, output, line -> System.out.println(line)).run());
  }

  private static void signal(String name, long pid) throws IOException {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
    assertEquals(0, kill.onExit().join().exitValue());
  }

  @Test
  void allEndWell() throws Exception {
    Transcript transcript = new Transcript(2, -1, null);
    LaunchResult result = launch(plan(2, "5", "-1"), transcript);
    assertEquals(LaunchResult.ALL_WELL, result, transcript::toString);
    assertEquals(2, transcript.count("sum 3"), transcript::toString);
  }

  @Test
  void aFailureOfTheWorkGivesItsExitCode() throws Exception {
    Transcript transcript = new Transcript(3, -1, null);
    LaunchResult result = launch(plan(3, "5", "1"), transcript);
    assertEquals(ExitCode.FAILED.code(), result.exitCode(), transcript::toString);
    assertEquals(OptionalInt.of(1), result.failedRank());
    assertEquals(1, transcript.count("1: error: as the test wants it"), transcript::toString);
    assertEquals(2, transcript.count("error: lost rank 1: it left the job"), transcript::toString);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"1, shm", "2, shm"})
  void anyKilledRankIsNamed(int victim, String transport) throws Exception {
    aKilledRankIsNamedByAllSurvivorsAndByTheLauncher(victim, transport);
  }

  @ParameterizedTest
  @CsvSource({"0, shm", "1, tcp"})
  void aKilledRankIsNamedByAllSurvivorsAndByTheLauncher(int victim, String transport)
      throws Exception {
    Transcript transcript = new Transcript(3, victim, (rank, pid) -> signal("KILL", pid));
    long start = System.nanoTime();
    LaunchPlan plan = plan(3, "0", "-1").withEnvironment(Map.of(TransportKind.VARIABLE, transport));
    LaunchResult result = launch(plan, transcript);
    assertEquals(ExitCode.PEER_LOST.code(), result.exitCode(), transcript::toString);
    assertEquals(OptionalInt.of(victim), result.failedRank());
    assertEquals(
        "lost rank %d: rank %d was ended by signal 9".formatted(victim, victim), result.summary());
    assertEquals(2, transcript.count("error: lost rank " + victim + ":"), transcript::toString);
    assertTrue(System.nanoTime() - start < Duration.ofSeconds(20).toNanos());
  }

  @Test
  void aRankThatStandsStillIsNamedAndEnded() throws Exception {
    Transcript transcript = new Transcript(3, 1, (rank, pid) -> signal("STOP", pid));
    LaunchPlan plan = plan(3, "0", "-1").withEnvironment(Map.of(FaultLimits.SILENCE, "1.5"));
    LaunchPlan quick =
        new LaunchPlan(
            plan.ranks(),
            plan.mainClass(),
            plan.arguments(),
            plan.environment(),
            plan.jvmFlags(),
            plan.joining(),
            Duration.ofSeconds(3),
            Duration.ofSeconds(1));
    LaunchResult result = launch(quick, transcript);
    assertEquals(ExitCode.PEER_LOST.code(), result.exitCode(), transcript::toString);
    assertEquals("lost rank 1: its peers gave it up", result.summary());
    assertEquals(2, transcript.count("error: lost rank 1: no sign of life"), transcript::toString);
    assertTrue(ProcessHandle.of(transcript.pids[1]).isEmpty());
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"TERM, local", "KILL, remote"})
  void noOrphanHoweverTheLauncherEnds(String signal, String where) throws Exception {
    noOrphanWhenTheLauncherEnds(signal, where);
  }

  @ParameterizedTest
  @CsvSource({"KILL, local", "TERM, remote"})
  void noOrphanWhenTheLauncherEnds(String signal, String where) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(SMALL);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(LauncherProcess.class.getName());
    if (where.equals("remote")) {
      command.add(RemoteShell.write(folder).toString());
    }
    Process launcher = new ProcessBuilder(command).redirectErrorStream(true).start();
    List<ProcessHandle> ranks = new ArrayList<>();
    try (BufferedReader output = launcher.inputReader(StandardCharsets.UTF_8)) {
      int running = 0;
      while (running < 2) {
        String line = output.readLine();
        if (line.contains("] pid ")) {
          long pid = Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
          ranks.add(ProcessHandle.of(pid).orElseThrow());
        }
        running += line.endsWith("] running") ? 1 : 0;
      }
      signal(signal, launcher.pid());
      for (ProcessHandle rank : ranks) {
        awaitEnd(rank);
      }
    } finally {
      launcher.destroyForcibly();
      ranks.forEach(ProcessHandle::destroyForcibly);
    }
    assertEquals(2, ranks.size());
    for (ProcessHandle rank : ranks) {
      assertEquals(List.of(), SharedFiles.of(rank.pid()));
    }
  }

  private static void awaitEnd(ProcessHandle rank) throws Exception {
    try {
      rank.onExit().get(10, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("process " + rank.pid() + " is an orphan", e);
    }
  }
}
