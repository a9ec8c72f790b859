package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.launch.SurvivingLauncher.Meanwhile;
import dev.tandem.core.ExitCode;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real processes, really killed, of which the others stay. */
class SurvivingLauncherTest {

  private static final List<String> SMALL =
      List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED");

  private final List<String> log = new ArrayList<>();

  /** Sends a signal to some processes as soon as the first generation has worked together. */
  private static final class Killer implements RankOutput {

    private final List<Integer> victims;
    private final String signal;
    private final int ranks;
    private final Map<Integer, List<Long>> pids = new TreeMap<>();
    private final List<String> lines = new ArrayList<>();
    private int together;

    Killer(int ranks, String signal, Integer... victims) {
      this.ranks = ranks;
      this.signal = signal;
      this.victims = List.of(victims);
    }

    @Override
    public synchronized void line(int process, Source source, String text) {
      lines.add(process + ": " + text);
      if (text.startsWith("pid ")) {
        pids.computeIfAbsent(process, p -> new ArrayList<>())
            .add(Long.parseLong(text.substring(4)));
      }
      if (text.startsWith("generation 1 ") && ++together == ranks) {
        for (int victim : victims) {
          kill(pids.get(victim).getFirst());
        }
      }
    }

    private void kill(long pid) {
      try {
        new ProcessBuilder("kill", signal, Long.toString(pid)).inheritIO().start();
      } catch (IOException e) {
        throw new IllegalStateException(e);
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

  private LaunchResult run(Killer killer, Meanwhile meanwhile, int restarts, String... arguments)
      throws Exception {
    LaunchPlan plan =
        LaunchPlan.of(killer.ranks, SurvivingRank.class.getName(), List.of(arguments))
            .withJvmFlags(SMALL);
    return Watchdog.within(
        Duration.ofSeconds(60),
        () ->
            new SurvivingLauncher(
                    plan,
                    Placement.here(killer.ranks),
                    meanwhile,
                    new Restarts(restarts),
                    killer,
                    line -> {
                      synchronized (log) {
                        log.add(line);
                      }
                    })
                .run());
  }

  @Test
  void theOthersGoOnAndTheReplacementJoins() throws Exception {
    theReplacementJoins(0);
  }

  @Tag("slow")
  @Test
  void theReplacementOfAnotherRankJoins() throws Exception {
    theReplacementJoins(2);
  }

  private void theReplacementJoins(int victim) throws Exception {
    Killer killer = new Killer(3, "-KILL", victim);
    LaunchResult result = run(killer, Meanwhile.GO_ON, 1, "3", "3");
    assertEquals(0, result.exitCode(), killer + "\n" + log);
    for (int process = 0; process < 3; process++) {
      assertEquals(process == victim ? 2 : 1, killer.pids.get(process).size(), killer.toString());
    }
    assertEquals(2, killer.count("generation 2 of 2"), killer.toString());
    assertEquals(3, killer.count("generation 3 of 3"), killer.toString());
    assertEquals(2, killer.count("lost " + victim), killer.toString());
    assertEquals(1, log.size(), log.toString());
  }

  @Test
  void orTheyWaitForIt() throws Exception {
    Killer killer = new Killer(3, "-KILL", 1);
    LaunchResult result = run(killer, Meanwhile.WAIT, 1, "2", "3");
    assertEquals(0, result.exitCode(), killer + "\n" + log);
    assertEquals(1, killer.pids.get(0).size());
    assertEquals(2, killer.pids.get(1).size());
    assertEquals(3, killer.count("generation 2 of 3"), killer.toString());
  }

  @Test
  void twoLostAtOnceAreBothReplaced() throws Exception {
    Killer killer = new Killer(4, "-KILL", 0, 3);
    LaunchResult result = run(killer, Meanwhile.GO_ON, 2, "2", "4");
    assertEquals(0, result.exitCode(), killer + "\n" + log);
    assertEquals(1, killer.pids.get(1).size());
    assertEquals(1, killer.pids.get(2).size());
    assertEquals(2, log.stream().filter(line -> line.contains("restart")).count(), log.toString());
  }

  @Test
  void whenAllRestartsAreUsedUpTheJobEndsAndNamesTheLostRank() throws Exception {
    Killer killer = new Killer(3, "-KILL", 1);
    LaunchResult result = run(killer, Meanwhile.GO_ON, 0, "9", "3");
    assertEquals(ExitCode.PEER_LOST.code(), result.exitCode(), killer.toString());
    assertEquals("lost rank 1: rank 1 was ended by signal 9", result.summary());
  }

  @Test
  void aProcessThatFailsByItselfIsNotReplaced() throws Exception {
    Killer killer = new Killer(3, "-0");
    LaunchResult result = run(killer, Meanwhile.GO_ON, 5, "1", "3", "2");
    assertEquals(ExitCode.FAILED.code(), result.exitCode(), killer.toString());
    assertEquals(2, result.failedRank().orElseThrow());
    assertEquals(List.of(), log.stream().filter(line -> line.contains("restart")).toList());
    assertTrue(killer.count("asked to fail") > 0, killer.toString());
  }
}
