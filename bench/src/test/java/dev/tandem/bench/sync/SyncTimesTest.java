package dev.tandem.bench.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Lines of ranks become rows. */
class SyncTimesTest {

  private final SyncTimes times = new SyncTimes();

  @Test
  void comparesTurnsOfTheSameRound() {
    turn(0, "baseline", 20, 1);
    turn(0, "topo", 10, 1);
    turn(1, "topo", 30, 1);
    turn(1, "baseline", 40, 1);
    turn(2, "baseline", 100, 1);
    turn(2, "topo", 90, 1);

    SyncRow row = row("topo");
    assertEquals(3, row.rounds());
    assertEquals(30, row.iterationMillis());
    assertEquals(0.75, row.ratioToBaseline(), 1e-9);
    assertEquals(0.5, row.ratioLow(), 1e-9);
    assertEquals(0.9, row.ratioHigh(), 1e-9);
    assertEquals(1, row.ratioOfMeans(), 1e-9);
    assertEquals(0, row.ratioToBuckets());
    assertEquals(6, times.count());
  }

  @Test
  void refusesOtherParametersUnderAnotherPolicy() {
    turn(0, "baseline", 20, 1);
    WorkFailedException failure =
        assertThrows(WorkFailedException.class, () -> turn(0, "topo", 10, 2));
    assertTrue(failure.getMessage().contains("topo heavy 1.0"), failure.getMessage());
  }

  @Test
  void partitionedCoresAreInertWithOneCorePerRank() {
    turn(0, "baseline", 20, 1);
    turn(0, "scp", 20, 1);
    assertTrue(row("scp").inert());
    assertFalse(row("baseline").inert());
  }

  @Test
  void idleLoopsAreRows() {
    turn(0, "baseline", 20, 1);
    times.add("idle topo 1.010 0.004 12.5");
    times.add("idle topo 1.030 0.006 12.7");
    SyncRow row = row("idle-topo");
    assertTrue(row.idle());
    assertEquals(1.02, row.ratioToBaseline(), 1e-9);
    assertEquals(0.005, row.backgroundCpuShare(), 1e-9);
  }

  @Test
  void countsThisProcessByRoles() {
    ProcessCounters before = ProcessCounters.read();
    long until = System.nanoTime() + 20_000_000;
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
    ProcessCounters used = ProcessCounters.read().since(before);
    assertTrue(used.of(ThreadRole.ENGINE).runNanos() > 0);
    assertEquals(ThreadCounters.NONE, used.of(ThreadRole.INPUT));
  }

  /** Every figure but the step's time is 0.5. */
  private void turn(int round, String policy, double millis, long digest) {
    Map<SyncFigure, Double> figures = new EnumMap<>(SyncFigure.class);
    for (SyncFigure figure : SyncFigure.values()) {
      figures.put(figure, figure == SyncFigure.ITERATION_MILLIS ? millis : 0.5);
    }
    SyncTurn turn = new SyncTurn(policy, SyncInput.HEAVY, 1);
    times.add("turn %d %s %s".formatted(round, turn, new SyncMeasurement(figures, digest).line()));
  }

  private SyncRow row(String policy) {
    return times.rows("a machine").stream()
        .filter(row -> row.policy().equals(policy))
        .findFirst()
        .orElseThrow();
  }
}
