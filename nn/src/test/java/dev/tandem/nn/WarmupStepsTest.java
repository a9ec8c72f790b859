package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.UsageException;
import java.util.List;
import org.junit.jupiter.api.Test;

class WarmupStepsTest {

  @Test
  void climbsThenFallsInSteps() {
    Schedule schedule = new WarmupSteps(0.1, 0.8, 7, List.of(10L, 20L), 0.1);
    assertEquals(0.1, schedule.rate(0), 1e-12);
    assertEquals(0.5, schedule.rate(4), 1e-12);
    assertEquals(0.8, schedule.rate(7), 1e-12);
    assertEquals(0.8, schedule.rate(9), 1e-12);
    assertEquals(0.08, schedule.rate(10), 1e-12);
    assertEquals(0.008, schedule.rate(20), 1e-12);
    assertEquals(0.008, schedule.rate(1_000), 1e-12);
  }

  @Test
  void otherSchedules() {
    assertEquals(0.3, Schedule.constant(0.3).rate(17));
    assertEquals(3.2, Schedule.linearlyScaled(0.1, 256, 8192), 1e-12);
  }

  @Test
  void refusesNonsense() {
    assertThrows(UsageException.class, () -> new WarmupSteps(0, 0, 0, List.of(), 0.1));
    assertThrows(UsageException.class, () -> new WarmupSteps(0, 1, 5, List.of(3L), 0.1));
    assertThrows(UsageException.class, () -> new WarmupSteps(0, 1, 5, List.of(9L, 9L), 0.1));
    assertThrows(UsageException.class, () -> Schedule.constant(0));
  }
}
