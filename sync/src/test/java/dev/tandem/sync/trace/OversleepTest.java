package dev.tandem.sync.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OversleepTest {

  private static final long MICRO = 1_000;

  @Test
  void sleepsAreCountedByTheirExcess() {
    Oversleep oversleep = new Oversleep();
    long[] micros = {-3, 0, 49, 50, 999, 1_000, 9_999, 10_000, 70_000};
    for (long excess : micros) {
      oversleep.add(excess * MICRO);
    }
    Oversleep read = Oversleep.of(oversleep.toArray(), 0);
    assertEquals(micros.length, read.sleeps());
    long[] expected = {3, 1, 0, 0, 1, 1, 0, 1, 2};
    for (int place = 0; place < expected.length; place++) {
      assertEquals(expected[place], read.count(place), "class " + place);
    }
  }

  @Test
  void oneLateSleepThatBringsAnotherIsSeen() {
    Oversleep alternating = new Oversleep();
    Oversleep inRows = new Oversleep();
    for (int i = 0; i < 400; i++) {
      alternating.add((i % 2) * 1_000L * MICRO);
      inRows.add((i / 20 % 2) * 1_000L * MICRO);
    }
    assertEquals(-1, alternating.nextCorrelation(), 0.02);
    assertTrue(inRows.nextCorrelation() > 0.8, () -> inRows.row());
    assertEquals(0, new Oversleep().nextCorrelation());
  }
}
