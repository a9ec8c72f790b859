package dev.tandem.sync.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.comm.launch.RankOutput;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.core.ExitCode;
import dev.tandem.sync.trace.StragglerReport.Cause;
import dev.tandem.testkit.NetworkNamespaces;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is seen of ranks that are processes: slow ones, killed ones, one behind a slow cable. */
class WatchedProcessesTest {

  private static final int RANKS = 3;
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final List<String> FLAGS =
      List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED");

  @TempDir Path folder;

  private LaunchPlan plan(String policy, int steps, int elements, String what, int slowRank) {
    List<String> arguments =
        List.of(
            policy,
            folder.resolve("timeline.json").toString(),
            Integer.toString(steps),
            Integer.toString(elements),
            what,
            Integer.toString(slowRank));
    return LaunchPlan.of(RANKS, WatchedRank.class.getName(), arguments).withJvmFlags(FLAGS);
  }

  /** Keeps the lines of all ranks. */
  private static class Lines implements RankOutput {

    private final List<String> lines = new ArrayList<>();

    @Override
    public synchronized void line(int rank, Source source, String text) {
      lines.add(text);
    }

    synchronized boolean has(String line) {
      return lines.contains(line);
    }

    @Override
    public synchronized String toString() {
      return String.join("\n", lines);
    }
  }

  private static LaunchResult run(LaunchPlan plan, Placement placement, RankOutput output)
      throws Exception {
    return Watchdog.within(
        LIMIT, () -> new ProcessLauncher(plan, placement, output, System.out::println).run());
  }

  private String timeline() throws IOException {
    return Files.readString(folder.resolve("timeline.json"));
  }

  private void assertWholeWithAllRanks(String text) {
    assertEquals("", JsonCheck.problem(text));
    for (int rank = 0; rank < RANKS; rank++) {
      assertTrue(
          text.contains("TRANSFER\",\"ph\":\"X\",\"pid\":%d,".formatted(rank)), "rank " + rank);
    }
  }

  @Test
  void aSlowProcessIsNamedWithItsCause() throws Exception {
    assertNamed("topo", Cause.INPUT, 2);
  }

  @ParameterizedTest
  @CsvSource({"topo,COMPUTE,1", "baseline-parked,COMPUTE,2"})
  @Tag("slow")
  void soAreOtherCauses(String policy, Cause cause, int slow) throws Exception {
    assertNamed(policy, cause, slow);
  }

  private void assertNamed(String policy, Cause cause, int slow) throws Exception {
    Lines lines = new Lines();
    String what = cause.name().toLowerCase(Locale.ROOT);
    LaunchResult result = run(plan(policy, 35, 1_000, what, slow), Placement.here(RANKS), lines);
    assertEquals(0, result.exitCode(), lines::toString);
    assertTrue(lines.has("finding %s %d".formatted(cause, slow)), lines::toString);
    assertWholeWithAllRanks(timeline());
  }

  /** Kills a rank when it has come to a step. */
  private static final class Killer extends Lines {

    private static final int VICTIM = 1;
    private long pid;

    @Override
    public synchronized void line(int rank, Source source, String text) {
      super.line(rank, source, text);
      if (rank == VICTIM && text.startsWith("pid ")) {
        pid = Long.parseLong(text.substring(4));
      }
      if (rank == VICTIM && text.equals("step 20")) {
        kill();
      }
    }

    private void kill() {
      try {
        new ProcessBuilder("kill", "-KILL", Long.toString(pid)).start().onExit().join();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void theTimelineIsWholeAfterTheKillOfARankInTheMiddle() throws Exception {
    Killer killer = new Killer();
    LaunchResult result =
        run(plan("topo", 1_000_000, 1_000, "nothing", -1), Placement.here(RANKS), killer);
    assertEquals(ExitCode.PEER_LOST.code(), result.exitCode(), killer::toString);
    assertWholeWithAllRanks(timeline());
  }

  /** Ranks 0 and 1 share a host; rank 2 is behind a cable of 100 megabits a second. */
  @Test
  @Tag("slow")
  void aSlowCableIsNamedWithItsRank() throws Exception {
    Optional<String> obstacle = NetworkNamespaces.obstacle();
    obstacle.ifPresent(reason -> System.out.println("a slow cable is skipped: " + reason));
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElseThrow());
    Lines lines = new Lines();
    try (NetworkNamespaces hosts = NetworkNamespaces.create(41)) {
      hosts.limit(1, "100mbit");
      Placement placement =
          new Placement(
              List.of(hosts.name(0), hosts.name(0), hosts.name(1)),
              List.of("ip", "netns", "exec"),
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              System.getProperty("java.class.path"),
              new InetSocketAddress(InetAddress.ofLiteral(hosts.here()), 0),
              JobSecret.random());
      LaunchResult result = run(plan("topo", 40, 20_000, "nothing", -1), placement, lines);
      assertEquals(0, result.exitCode(), lines::toString);
    }
    assertTrue(lines.has("finding NETWORK 2"), lines::toString);
    System.out.println(lines);
  }
}
