package dev.tandem.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class WatchdogTest {

  @Test
  void passesResultsAndFailuresOn() throws Exception {
    assertEquals(7, Watchdog.within(Duration.ofMinutes(1), () -> 7));
    assertThrows(
        IllegalStateException.class,
        () ->
            Watchdog.within(
                Duration.ofMinutes(1),
                () -> {
                  throw new IllegalStateException("as it was");
                }));
  }

  @Test
  void namesWhereItHung() {
    CountDownLatch never = new CountDownLatch(1);
    AssertionError hang =
        assertThrows(
            AssertionError.class,
            () ->
                Watchdog.within(
                    Duration.ofMillis(50),
                    () -> {
                      never.await();
                      return null;
                    }));
    assertTrue(hang.getMessage().contains("CountDownLatch.await"), hang.getMessage());
  }
}
