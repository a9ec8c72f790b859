package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeterminismTest {

  @Test
  void sameSeedAndThreadsGiveTheSameBits() throws Exception {
    Seed seed = TestSeed.of(DeterminismTest.class);
    String first = FiftySteps.fingerprint(seed, 1);
    assertEquals(first, FiftySteps.fingerprint(seed, 1));
    assertNotEquals(first, FiftySteps.fingerprint(seed.derive("other"), 1));
  }

  @Test
  void twoProcessesGiveTheSameBits() throws Exception {
    Seed seed = TestSeed.of(DeterminismTest.class);
    int threads = 2;
    String here = FiftySteps.fingerprint(seed, threads);
    ChildJvm child =
        ChildJvm.start(
            ChildJvm.classPath(),
            List.of(),
            FiftySteps.class,
            Long.toString(seed.value()),
            Integer.toString(threads));
    assertEquals(here, Watchdog.within(Duration.ofMinutes(2), child::output));
  }

  @Test
  void anyThreadMayComputeAndGetsTheEnginesThreads() throws Exception {
    Seed seed = TestSeed.of(DeterminismTest.class);
    String here = FiftySteps.fingerprint(seed, 1);
    assertEquals(
        here, Watchdog.within(Duration.ofMinutes(2), () -> FiftySteps.fingerprint(seed, 1)));
  }
}
