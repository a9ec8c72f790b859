package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.UsageException;
import org.junit.jupiter.api.Test;

class WarmupCosineTest {

  @Test
  void climbsThenFallsToZero() {
    WarmupCosine schedule = new WarmupCosine(0.8, 4, 14);
    assertEquals(0.2, schedule.rate(0), 1e-12);
    assertEquals(0.8, schedule.rate(3), 1e-12);
    assertEquals(0.8, schedule.rate(4), 1e-12);
    assertEquals(0.4, schedule.rate(9), 1e-12);
    assertEquals(0, schedule.rate(14), 1e-12);
    assertEquals(0.5, new WarmupCosine(0.5, 0, 10).rate(0), 1e-12);
  }

  @Test
  void refusesNonsense() {
    assertThrows(UsageException.class, () -> new WarmupCosine(0, 0, 10));
    assertThrows(UsageException.class, () -> new WarmupCosine(0.1, 11, 10));
  }
}
