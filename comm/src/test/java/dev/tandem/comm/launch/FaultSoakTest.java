package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.FaultLimits;
import dev.tandem.comm.TransportKind;
import dev.tandem.core.ExitCode;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Ranks are killed or stopped at random moments; all survivors must name the right one in time. */
@Tag("slow")
class FaultSoakTest {

  private static final List<String> TRANSPORTS = List.of("shm", "tcp", "hybrid");
  private static final String SILENCE_SECONDS = "3";
  private static final double LIMIT_SECONDS = 4;

  @TempDir Path folder;

  /** Strikes when the victim has reached a round. */
  private static final class Striker implements RankOutput {

    private final String signal;
    private final int victim;
    private final int round;
    private final List<String> lines = new ArrayList<>();
    private final List<Long> pids = new ArrayList<>();
    private long pid;
    private long struck;
    private long lastReport;

    Striker(String signal, int victim, int round) {
      this.signal = signal;
      this.victim = victim;
      this.round = round;
    }

    @Override
    public synchronized void line(int rank, Source source, String text) {
      lines.add(rank + ": " + text);
      if (text.startsWith("error: lost rank")) {
        lastReport = System.nanoTime();
      }
      if (text.startsWith("pid ")) {
        pids.add(Long.parseLong(text.substring(4)));
        pid = rank == victim ? pids.getLast() : pid;
      } else if (rank == victim && text.equals("round " + round)) {
        strike();
      }
    }

    private void strike() {
      try {
        struck = System.nanoTime();
        new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().onExit().join();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    synchronized long reports() {
      return lines.stream().filter(line -> line.contains("error: lost rank " + victim)).count();
    }

    /** Processes and shared memory that outlived the job. */
    synchronized List<String> leftovers() throws IOException {
      List<String> left = new ArrayList<>();
      for (long process : pids) {
        ProcessHandle.of(process).ifPresent(alive -> left.add("process " + alive.pid()));
        SharedFiles.of(process).forEach(file -> left.add(file.toString()));
      }
      return left;
    }

    @Override
    public synchronized String toString() {
      return signal + " of rank " + victim + " in round " + round + "\n" + String.join("\n", lines);
    }
  }

  /** Of every transport a third, hybrid ones on two hosts that are this one. */
  @RepeatedTest(40)
  void survivorsNameTheLostRankInTime(RepetitionInfo repetition) throws Exception {
    SplittableRandom random = TestSeed.of(FaultSoakTest.class).random();
    String transport = TRANSPORTS.get(repetition.getCurrentRepetition() % TRANSPORTS.size());
    boolean hybrid = transport.equals("hybrid");
    int ranks = random.nextInt(hybrid ? 3 : 2, 5);
    String signal = random.nextInt(4) == 0 ? "STOP" : "KILL";
    Striker striker = new Striker(signal, random.nextInt(ranks), random.nextInt(1, 8) * 50);
    LaunchPlan plan =
        new LaunchPlan(
            ranks,
            SummingRank.class.getName(),
            List.of("0", "-1"),
            Map.of(TransportKind.VARIABLE, transport, FaultLimits.SILENCE, SILENCE_SECONDS),
            List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"),
            Duration.ofSeconds(60),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1));
    LaunchResult result =
        Watchdog.within(
            Duration.ofMinutes(2),
            () ->
                new ProcessLauncher(
                        plan,
                        hybrid ? twoHosts(ranks) : Placement.here(ranks),
                        striker,
                        System.out::println)
                    .run());
    assertEquals(ExitCode.PEER_LOST.code(), result.exitCode(), striker::toString);
    assertEquals(OptionalInt.of(striker.victim), result.failedRank(), striker::toString);
    assertEquals(ranks - 1, striker.reports(), striker::toString);
    double seconds = (striker.lastReport - striker.struck) / 1e9;
    System.out.printf(
        "fault %d: %s of rank %d of %d over %s, %.2f s%n",
        repetition.getCurrentRepetition(), signal, striker.victim, ranks, transport, seconds);
    assertTrue(seconds <= LIMIT_SECONDS, () -> "took " + seconds + " s\n" + striker);
    assertEquals(List.of(), striker.leftovers(), striker::toString);
  }

  private Placement twoHosts(int ranks) throws IOException {
    Placement here = Placement.here(ranks);
    return new Placement(
        List.of("a", "a", "b", "b").subList(0, ranks),
        List.of(RemoteShell.write(folder).toString()),
        here.java(),
        here.classPath(),
        here.meetingPoint(),
        here.secret());
  }
}
