package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.comm.launch.RankOutput;
import dev.tandem.core.ExitCode;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * 200 faults between two hosts, as many of each kind and number of ranks. What every survivor must
 * report within the limit and a second:
 *
 * <ul>
 *   <li>KILL and STOP: the victim.
 *   <li>CUT, a host is cut off and nobody dies: a rank of the other host. Each side goes on without
 *       the other, and each is right.
 *   <li>VANISH, a host is cut off and the victim on it killed, so that nothing of its end is ever
 *       heard and its connections stay half-open: on the other host a rank of the victim's host; on
 *       the victim's host the victim or a rank of the other host, for both are gone.
 * </ul>
 */
@Tag("slow")
class NamespaceFaultsTest {

  private static final int FAULTS = Integer.getInteger("tandem.faults", 200);
  private static final int JOBS_AT_A_TIME = 3;
  private static final List<Fault> KINDS = List.of(Fault.values());
  private static final Duration SILENCE = Duration.ofSeconds(2);
  private static final Duration LIMIT = SILENCE.plusSeconds(1);

  private enum Fault {
    KILL,
    STOP,
    CUT,
    VANISH
  }

  /** Strikes when the victim has reached a round, and writes down who reports whom and when. */
  private static final class Round implements RankOutput {

    private final NamespaceHosts hosts;
    private final Fault fault;
    private final List<Integer> sides;
    private final int sockets;
    private final int victim;
    private final int round;
    private final long[] pids;
    private final int[] reported;
    private final List<String> lines = new ArrayList<>();
    private long struck;
    private long lastReport;

    Round(NamespaceHosts hosts, int number, SplittableRandom random) {
      this.hosts = hosts;
      this.fault = KINDS.get(number % KINDS.size());
      int ranks = 2 + number / KINDS.size() % 3;
      this.sockets = random.nextInt(1, 3);
      this.sides = IntStream.range(0, ranks).mapToObj(rank -> rank % 2).toList();
      this.victim = random.nextInt(ranks);
      this.round = random.nextInt(1, 12) * 20;
      this.pids = new long[ranks];
      this.reported = new int[ranks];
      Arrays.fill(reported, -1);
    }

    @Override
    public synchronized void line(int rank, Source source, String text) {
      lines.add(rank + ": " + text);
      if (text.startsWith("error: lost rank ")) {
        lastReport = System.nanoTime();
        reported[rank] = Integer.parseInt(text.replaceAll("error: lost rank (\\d+).*", "$1"));
      } else if (text.startsWith("pid ")) {
        pids[rank] = Long.parseLong(text.substring(4));
      } else if (rank == victim && text.equals("round " + round)) {
        strike();
      }
    }

    private void strike() {
      switch (fault) {
        case KILL -> signal("KILL");
        case STOP -> signal("STOP");
        case CUT -> hosts.cut(sides.get(victim));
        case VANISH -> {
          hosts.cut(sides.get(victim));
          signal("KILL");
        }
      }
      struck = System.nanoTime();
    }

    private void signal(String name) {
      try {
        new ProcessBuilder("kill", "-" + name, Long.toString(pids[victim])).start().onExit().join();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    /** What is wrong, if anything. */
    synchronized Optional<String> complaint(LaunchResult result) {
      if (struck == 0) {
        return Optional.of("the job ended before the fault: " + result);
      }
      for (int rank = 0; rank < sides.size(); rank++) {
        if (!right(rank)) {
          return Optional.of("rank %d reported %d".formatted(rank, reported[rank]));
        }
      }
      if (lines.stream().anyMatch(line -> line.contains("wrong sum"))) {
        return Optional.of("a wrong result");
      }
      if (result.exitCode() != ExitCode.PEER_LOST.code()) {
        return Optional.of("the launcher says " + result);
      }
      return seconds() > LIMIT.toMillis() / 1e3
          ? Optional.of("the last report came after %.2f s".formatted(seconds()))
          : Optional.empty();
    }

    private boolean right(int rank) {
      int named = reported[rank];
      boolean otherSide = named >= 0 && !sides.get(named).equals(sides.get(rank));
      return switch (fault) {
        case KILL, STOP -> rank == victim || named == victim;
        case CUT -> otherSide;
        case VANISH -> rank == victim || otherSide || named == victim;
      };
    }

    synchronized String transcript() {
      return String.join("\n", lines);
    }

    synchronized double seconds() {
      return (lastReport - struck) / 1e9;
    }

    @Override
    public synchronized String toString() {
      return "%s of rank %d of %d in round %d, %d sockets, %.2f s"
          .formatted(fault, victim, sides.size(), round, sockets, seconds());
    }
  }

  @Test
  void survivorsNameTheRightRankInTime() throws Exception {
    Optional<String> obstacle = NamespaceHosts.obstacle();
    obstacle.ifPresent(reason -> System.out.println("NamespaceFaultsTest skipped: " + reason));
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElseThrow());
    SplittableRandom random = TestSeed.of(NamespaceFaultsTest.class).random();
    AtomicInteger next = new AtomicInteger();
    List<Callable<List<Struck>>> workers = new ArrayList<>();
    for (int worker = 0; worker < JOBS_AT_A_TIME; worker++) {
      SplittableRandom mine = random.split();
      int pair = 10 + worker;
      workers.add(() -> strike(pair, next, mine));
    }
    List<Struck> all = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(JOBS_AT_A_TIME)) {
      for (Future<List<Struck>> future : executor.invokeAll(workers)) {
        all.addAll(future.get());
      }
    }
    for (Fault fault : KINDS) {
      DoubleSummaryStatistics seconds =
          all.stream()
              .filter(struck -> struck.round().fault == fault)
              .mapToDouble(struck -> struck.round().seconds())
              .summaryStatistics();
      System.out.printf(
          "%s: %d times, last report after %.2f s on average, %.2f s at most%n",
          fault, seconds.getCount(), seconds.getAverage(), seconds.getMax());
    }
    assertEquals(FAULTS, all.size());
    assertEquals(
        List.of(),
        all.stream()
            .filter(struck -> struck.complaint().isPresent())
            .map(struck -> struck + "\n" + struck.round().transcript())
            .toList());
  }

  /** A fault and what was wrong about its consequences, if anything. */
  private record Struck(Round round, Optional<String> complaint) {
    @Override
    public String toString() {
      return round + complaint.map(text -> ": " + text).orElse("");
    }
  }

  private static List<Struck> strike(int pair, AtomicInteger next, SplittableRandom random)
      throws Exception {
    List<Struck> done = new ArrayList<>();
    for (int number = next.getAndIncrement(); number < FAULTS; number = next.getAndIncrement()) {
      try (NamespaceHosts hosts = NamespaceHosts.create(pair)) {
        Round round = new Round(hosts, number, random);
        LaunchResult result = launch(round);
        Struck struck = new Struck(round, round.complaint(result));
        System.out.printf("fault %d/%d: %s%n", number + 1, FAULTS, struck);
        done.add(struck);
      }
    }
    return done;
  }

  private static LaunchResult launch(Round round) throws Exception {
    LaunchPlan plan =
        new LaunchPlan(
            round.sides.size(),
            CheckedSumRank.class.getName(),
            List.of(),
            Map.of(
                TransportKind.VARIABLE,
                "tcp",
                "TANDEM_SOCKETS",
                Integer.toString(round.sockets),
                FaultLimits.SILENCE,
                Double.toString(SILENCE.toMillis() / 1e3)),
            List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"),
            Duration.ofSeconds(60),
            Duration.ofSeconds(4),
            Duration.ofSeconds(1));
    return Watchdog.within(
        Duration.ofMinutes(2),
        () ->
            new ProcessLauncher(plan, round.hosts.placement(round.sides), round, line -> {}).run());
  }
}
