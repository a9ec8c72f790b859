package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.FaultLimits;
import dev.tandem.comm.TransportKind;
import dev.tandem.core.ExitCode;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;

/** Ranks are killed or stopped at random moments; all survivors must name the right one in time. */
@Tag("slow")
class FaultSoakTest {

  /** Strikes when the victim has reached a round. */
  private static final class Striker implements RankOutput {

    private final String signal;
    private final int victim;
    private final int round;
    private final List<String> lines = new ArrayList<>();
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
      if (rank != victim) {
        return;
      }
      if (text.startsWith("pid ")) {
        pid = Long.parseLong(text.substring(4));
      } else if (text.equals("round " + round)) {
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

    @Override
    public synchronized String toString() {
      return signal + " of rank " + victim + " in round " + round + "\n" + String.join("\n", lines);
    }
  }

  @RepeatedTest(40)
  void survivorsNameTheLostRankInTime() throws Exception {
    SplittableRandom random = TestSeed.of(FaultSoakTest.class).random();
    int ranks = random.nextInt(2, 5);
    String transport = random.nextBoolean() ? "shm" : "tcp";
    String signal = random.nextInt(4) == 0 ? "STOP" : "KILL";
    Striker striker = new Striker(signal, random.nextInt(ranks), random.nextInt(1, 8) * 50);
    LaunchPlan plan =
        new LaunchPlan(
            ranks,
            SummingRank.class.getName(),
            List.of("0", "-1"),
            Map.of(TransportKind.VARIABLE, transport, FaultLimits.SILENCE, "3"),
            List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"),
            Duration.ofSeconds(60),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1));
    LaunchResult result =
        Watchdog.within(
            Duration.ofMinutes(2),
            () -> new ProcessLauncher(plan, striker, System.out::println).run());
    assertEquals(ExitCode.PEER_LOST.code(), result.exitCode(), striker::toString);
    assertEquals(OptionalInt.of(striker.victim), result.failedRank(), striker::toString);
    assertEquals(ranks - 1, striker.reports(), striker::toString);
    long seconds = Duration.ofNanos(striker.lastReport - striker.struck).toSeconds();
    assertTrue(seconds < 6, () -> "took " + seconds + " s\n" + striker);
  }
}
