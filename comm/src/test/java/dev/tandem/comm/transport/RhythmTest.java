package dev.tandem.comm.transport;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When a wait is foreseen. */
class RhythmTest {

  private static final long MILLISECOND = 1_000_000;

  private final Rhythm rhythm = new Rhythm();

  @Test
  void nothingIsForeseenAtFirst() {
    assertFalse(rhythm.steady());
    rhythm.observe(20 * MILLISECOND);
    assertFalse(rhythm.steady());
  }

  @Test
  void equalWaitsAreForeseenAndShortOnesDoNotDisturb() {
    rhythm.observe(20 * MILLISECOND);
    rhythm.observe(MILLISECOND / 10);
    rhythm.observe(20 * MILLISECOND + 100_000);
    assertTrue(rhythm.steady());
    assertTrue(rhythm.from() < 20 * MILLISECOND && rhythm.to() > 20 * MILLISECOND);
  }

  @Test
  void lookingOutTakesASmallShareOfTheWait() {
    rhythm.observe(20 * MILLISECOND);
    rhythm.observe(20 * MILLISECOND);
    assertTrue(rhythm.to() - rhythm.from() <= 20 * MILLISECOND * 3 / 100);
    for (int i = 0; i < 5; i++) {
      rhythm.observe(1000 * MILLISECOND);
    }
    assertTrue(rhythm.to() - rhythm.from() <= MILLISECOND);
  }

  @Test
  void irregularWaitsAreNot() {
    for (int i = 0; i < 20; i++) {
      rhythm.observe((20 + i * i % 7) * MILLISECOND);
      assertFalse(rhythm.steady());
    }
  }

  @Test
  void aDisturbedWaitIsForgiven() {
    for (int i = 0; i < 3; i++) {
      rhythm.observe(20 * MILLISECOND);
    }
    rhythm.observe(22 * MILLISECOND);
    assertTrue(rhythm.steady());
    rhythm.observe(24 * MILLISECOND);
    assertTrue(rhythm.steady() && rhythm.from() < 20 * MILLISECOND);
    rhythm.observe(26 * MILLISECOND);
    assertFalse(rhythm.steady());
  }

  @Test
  void aNewRhythmIsFound() {
    for (int i = 0; i < 5; i++) {
      rhythm.observe(20 * MILLISECOND);
    }
    for (int i = 0; i < 3; i++) {
      rhythm.observe(40 * MILLISECOND);
    }
    assertTrue(rhythm.steady() && rhythm.from() > 39 * MILLISECOND);
  }
}
