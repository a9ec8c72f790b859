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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A receiver is killed or stopped while its sender waits for room. */
class BlockedSenderTest {

  private static final double SILENCE_SECONDS = 2;

  /** Strikes the receiver when the sender has come so far. */
  private static final class Striker implements RankOutput {

    private final String signal;
    private final String moment;
    private final List<String> lines = new ArrayList<>();
    private final long[] pids = new long[2];
    private boolean ready;
    private long struck;
    private long reported;

    Striker(String signal, String moment) {
      this.signal = signal;
      this.moment = moment;
    }

    @Override
    public synchronized void line(int rank, Source source, String text) {
      lines.add(rank + ": " + text);
      if (text.startsWith("pid ")) {
        pids[rank] = Long.parseLong(text.substring(4));
      }
      ready |= text.equals(moment);
      if (text.startsWith("error: lost rank 1")) {
        reported = System.nanoTime();
      }
      if (ready && struck == 0 && pids[1] != 0) {
        struck = System.nanoTime();
        try {
          new ProcessBuilder("kill", "-" + signal, Long.toString(pids[1])).start().onExit().join();
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
   * it sends to a process that stands still fills the ring or the socket.
   */
  @ParameterizedTest
  @CsvSource({"shm, KILL, 34", "shm, STOP, 2"})
  void theSenderNamesTheReceiverInTime(String transport, String signal, int round)
      throws Exception {
    Striker striker = new Striker(signal, "sending " + round);
    LaunchPlan plan =
        new LaunchPlan(
            2,
            SendingRank.class.getName(),
            List.of(),
            Map.of(
                TransportKind.VARIABLE,
                transport,
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
    assertEquals(OptionalInt.of(1), result.failedRank(), striker::toString);
    double seconds = (striker.reported - striker.struck) / 1e9;
    assertTrue(seconds > 0 && seconds <= SILENCE_SECONDS + 1, () -> seconds + " s\n" + striker);
    for (long pid : striker.pids) {
      assertEquals(List.of(), SharedFiles.of(pid), striker::toString);
    }
  }
}
