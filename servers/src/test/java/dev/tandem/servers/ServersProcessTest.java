package dev.tandem.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.core.ExitCode;
import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real processes, proxies among them, one of which dies. */
class ServersProcessTest {

  private static final int RANKS = 3;
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final List<String> SMALL =
      List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED");

  private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();

  private LaunchResult run(int staleness, int steps, int victim) throws Exception {
    LaunchPlan plan =
        LaunchPlan.of(
                RANKS,
                ServersRank.class.getName(),
                List.of("" + staleness, "" + steps, "" + victim))
            .withJvmFlags(SMALL);
    return Watchdog.within(
        LIMIT,
        () -> new ProcessLauncher(plan, (rank, source, text) -> lines.add(text), lines::add).run());
  }

  @Test
  void processesEndWithTheBitsOfThreads() throws Exception {
    int steps = 6;
    List<Integer> threads =
        Ranks.run(RANKS, LIMIT, communicator -> ServersRank.train(communicator, 0, steps, -1));
    LaunchResult result = run(0, steps, -1);
    assertEquals(0, result.exitCode(), lines.toString());
    List<String> hashes = lines.stream().filter(line -> line.startsWith("hash")).toList();
    assertEquals(RANKS, hashes.size(), lines.toString());
    hashes.forEach(hash -> assertEquals("hash " + threads.getFirst(), hash));
  }

  @Test
  void aDeadProxyIsNamedByAllOthers() throws Exception {
    assertNamed(2, 0);
  }

  @Test
  @Tag("slow")
  void aDeadClientOfAProxyIsNamedByAllOthers() throws Exception {
    assertNamed(0, 1);
  }

  private void assertNamed(int staleness, int victim) throws Exception {
    LaunchResult result = run(staleness, 20, victim);
    assertEquals(ExitCode.PEER_LOST.code(), result.exitCode(), result + " " + lines);
    assertEquals(OptionalInt.of(victim), result.failedRank());
    long told = lines.stream().filter(line -> line.contains("lost rank " + victim)).count();
    assertTrue(told >= RANKS - 1, lines.toString());
  }
}
