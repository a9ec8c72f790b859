package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tandem.comm.TransportKind;
import dev.tandem.core.ExitCode;
import dev.tandem.testkit.Watchdog;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job that is asked to end, as a whole or in one of its ranks, ends in order. */
class SigtermTest {

  private static final List<String> SMALL =
      List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED");

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"TERM, shm, 143", "INT, tcp, 130"})
  void theLauncherEndsItsRanksHoweverConnected(String signal, String transport, int exitCode)
      throws Exception {
    theLauncherEndsItsRanks(signal, transport, exitCode);
  }

  /** As shells count it: 128 and the signal's number. */
  @ParameterizedTest
  @CsvSource({"TERM, tcp, 143", "INT, shm, 130"})
  void theLauncherEndsItsRanks(String signal, String transport, int exitCode) throws Exception {
    List<String> lines = new ArrayList<>();
    List<Long> ranks = new ArrayList<>();
    int code =
        Watchdog.within(Duration.ofMinutes(1), () -> endLauncher(signal, transport, lines, ranks));
    assertEquals(exitCode, code, lines::toString);
    assertEquals(2, ranks.size(), lines::toString);
    assertFalse(lines.stream().anyMatch(line -> line.contains("\tat ")), lines::toString);
    assertNothingLeft(ranks);
  }

  private static int endLauncher(
      String signal, String transport, List<String> lines, List<Long> ranks) throws IOException {
    List<String> command = new ArrayList<>();
    // A shell makes what it starts in the background deaf to Ctrl-C, maybe also these tests.
    command.addAll(List.of("env", "--default-signal=INT"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(SMALL);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(LauncherProcess.class.getName());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put(TransportKind.VARIABLE, transport);
    Process launcher = builder.start();
    try (BufferedReader output = launcher.inputReader(StandardCharsets.UTF_8)) {
      int running = 0;
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(line);
        if (line.contains("] pid ")) {
          ranks.add(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)));
        }
        if (line.endsWith("] running") && ++running == 2) {
          signal(signal, launcher.pid());
        }
      }
      return launcher.onExit().join().exitValue();
    } finally {
      launcher.destroyForcibly();
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"2, shm", "1, hybrid"})
  void anyRankThatIsEndedIsNamed(int victim, String transport) throws Exception {
    aRankThatIsEndedIsNamed(victim, transport);
  }

  @ParameterizedTest
  @CsvSource({"0, shm", "1, tcp"})
  void aRankThatIsEndedIsNamed(int victim, String transport) throws Exception {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    Map<Integer, Long> processes = Collections.synchronizedMap(new TreeMap<>());
    LaunchPlan plan =
        LaunchPlan.of(3, SummingRank.class.getName(), List.of("0", "-1"))
            .withJvmFlags(SMALL)
            .withEnvironment(Map.of(TransportKind.VARIABLE, transport));
    RankOutput output =
        (rank, source, text) -> {
          lines.add(rank + ": " + text);
          if (text.startsWith("pid ")) {
            processes.put(rank, Long.parseLong(text.substring(4)));
          } else if (rank == victim && text.equals("running")) {
            signal("TERM", processes.get(victim));
          }
        };
    LaunchResult result =
        Watchdog.within(
            Duration.ofMinutes(1), () -> new ProcessLauncher(plan, output, lines::add).run());
    assertEquals(
        new LaunchResult(
            ExitCode.PEER_LOST.code(),
            OptionalInt.of(victim),
            "lost rank %d: rank %d was ended by signal 15".formatted(victim, victim)),
        result,
        lines::toString);
    long reports =
        lines.stream().filter(line -> line.contains("error: lost rank " + victim + ":")).count();
    assertEquals(2, reports, lines::toString);
    assertNothingLeft(List.copyOf(processes.values()));
  }

  private static void signal(String name, long process) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process)).start();
      assertEquals(0, kill.onExit().join().exitValue());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertNothingLeft(List<Long> processes) throws IOException {
    for (long process : processes) {
      assertEquals(List.of(), ProcessHandle.of(process).stream().toList());
      assertEquals(List.of(), SharedFiles.of(process));
    }
  }
}
