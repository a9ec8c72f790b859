package dev.tandem.sync.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.sync.agent.Transfer;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitTableTest {

  private static final long MILLI = 1_000_000;

  /** Two ranks, two transfers: rank 1 is 4 ms late for the first, rank 0 2 ms for the second. */
  private static final WaitTable TABLE =
      new WaitTable(
          List.of("a", "b and 2 more"),
          new long[][] {{10 * MILLI, 22 * MILLI}, {14 * MILLI, 20 * MILLI}});

  @Test
  void whoWaitsForWhom() {
    assertEquals(1, TABLE.last(0));
    assertEquals(0, TABLE.last(1));
    assertEquals(2, TABLE.waitMillis(0, 1), 1e-9);
    assertEquals(1, TABLE.waitMillis(1, 0), 1e-9);
    assertEquals(0, TABLE.waitMillis(1, 1), 1e-9);
    assertEquals(1, TABLE.latenessMillis(0), 1e-9);
    assertEquals(2, TABLE.latenessMillis(1), 1e-9);
    assertEquals(0.5, TABLE.lastShare(0), 1e-9);
    assertEquals(
        List.of(new WaitTable.Slow("a", 1, 4), new WaitTable.Slow("b and 2 more", 0, 2)),
        TABLE.slowest(3));
  }

  /** Rank 0's clock is 100 ms behind that of the rank that looks, which is rank 1. */
  @Test
  void theLifeOfATransferIsCutIntoFive() {
    long clock = 100 * MILLI;
    TransferWindow window = new TransferWindow();
    window.add(transfer(0, "a", clock, 14, 17, 18, 25, 27));
    window.add(transfer(1, "b", clock, 20, 30, 31, 33, 33));
    // Sleeps until 1 ms after both are ready; and from 21 until 24, partly while it must wait.
    window.slept(clock + 9 * MILLI, clock + 15 * MILLI);
    window.slept(clock + 21 * MILLI, clock + 24 * MILLI);
    SyncSplit split = TABLE.split(window, 0, new ClockAlignment(clock));
    assertEquals((0 + 2) / 2.0, split.stallingMillis(), 1e-9);
    assertEquals((1 + 2) / 2.0, split.cycleMillis(), 1e-9);
    assertEquals((2 + 6) / 2.0, split.orderingMillis(), 1e-9);
    assertEquals((3 + 1) / 2.0, split.copyMillis(), 1e-9);
    assertEquals((7 + 2) / 2.0, split.transferMillis(), 1e-9);
    assertEquals((13 + 13) / 2.0, split.allMillis(), 1e-9, "from asking to the sum");
  }

  private static Transfer transfer(long number, String name, long clock, long... millis) {
    long[] nanos = new long[millis.length];
    for (int i = 0; i < nanos.length; i++) {
      nanos[i] = clock + millis[i] * MILLI;
    }
    return new Transfer(number, List.of(name), 4, nanos[0], nanos[1], nanos[2], nanos[3], nanos[4]);
  }
}
