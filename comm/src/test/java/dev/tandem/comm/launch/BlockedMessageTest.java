package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.FaultLimits;
import dev.tandem.comm.TransportKind;
import dev.tandem.core.ExitCode;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A rank is killed or stopped while another waits for it to take or to send a message. */
class BlockedMessageTest {

  private static final double SILENCE_SECONDS = 2;

  /** Strikes one rank when the other has come so far. */
  private static final class Striker implements RankOutput {

    private final String signal;
    private final int victim;
    private final String moment;
    private final List<String> lines = new ArrayList<>();
    private final long[] pids = new long[2];
    private boolean ready;
    private long struck;
    private long reported;

    Striker(String signal, int victim, String moment) {
      this.signal = signal;
      this.victim = victim;
      this.moment = moment;
    }

    @Override
    public synchronized void line(int rank, Source source, String text) {
      lines.add(rank + ": " + text);
      if (text.startsWith("pid ")) {
        pids[rank] = Long.parseLong(text.substring(4));
      }
      ready |= text.equals(moment);
      if (text.startsWith("error: lost rank " + victim)) {
        reported = System.nanoTime();
      }
      if (ready && struck == 0 && pids[victim] != 0) {
        struck = System.nanoTime();
        try {
          new ProcessBuilder("kill", "-" + signal, Long.toString(pids[victim]))
              .start()
              .onExit()
              .join();
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      }
    }

    @Override
    public synchronized String toString() {
      return String.join("\n", lines);
    }
  }

  /**
   * After 32 MiB of which nothing was received a sender waits for an acknowledgement; before, what
   * it sends to a process that stands still fills the ring.
   */
  @ParameterizedTest
  @CsvSource({"KILL, 34", "STOP, 2"})
  void aSenderNamesTheReceiverInTime(String signal, int message) throws Exception {
    check(new Striker(signal, 1, "sending " + message), "1000", "0");
  }

  @Test
  void aReceiverNamesTheSenderInTime() throws Exception {
    check(new Striker("KILL", 0, "receiving 3"), "2", "1000");
  }

  private static void check(Striker striker, String sent, String received) throws Exception {
    LaunchPlan plan =
        new LaunchPlan(
            2,
            SendingRank.class.getName(),
            List.of(sent, received),
            Map.of(
                TransportKind.VARIABLE,
                TransportKind.SHARED_MEMORY.code(),
                FaultLimits.SILENCE,
                Double.toString(SILENCE_SECONDS)),
            List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"),
            Duration.ofSeconds(60),
            Duration.ofSeconds(2),
            Duration.ofSeconds(1));
    LaunchResult result =
        Watchdog.within(
            Duration.ofMinutes(1),
            () -> new ProcessLauncher(plan, Placement.here(2), striker, System.out::println).run());
    assertEquals(ExitCode.PEER_LOST.code(), result.exitCode(), striker::toString);
    assertEquals(OptionalInt.of(striker.victim), result.failedRank(), striker::toString);
    double seconds = (striker.reported - striker.struck) / 1e9;
    assertTrue(seconds > 0 && seconds <= SILENCE_SECONDS + 1, () -> seconds + " s\n" + striker);
    for (long pid : striker.pids) {
      assertEquals(List.of(), SharedFiles.of(pid), striker::toString);
    }
  }
}
