package dev.tandem.bench.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BenchEnsembleTest {

  @Test
  void mistakesAreOneLine() {
    assertEquals(
        "tandem: --rounds must be at least 1, not 0",
        CommandRun.failed(2, "ensemble", "--rounds", "0"));
    assertEquals(
        "tandem: --members is [0], expected numbers from 1 to 32",
        CommandRun.failed(2, "ensemble", "--members", "0"));
    assertEquals(
        "tandem: --only: unknown 'all', expected cost, unequal, adaptive, exact, peak, slowdown",
        CommandRun.failed(2, "ensemble", "--only", "all"));
    String consumer = CommandRun.failed(2, "ensemble", "--consumers", "0.5");
    assertTrue(consumer.contains("unknown '0.5', expected 1.35, 0.31, 0.14, train"), consumer);
  }
}
