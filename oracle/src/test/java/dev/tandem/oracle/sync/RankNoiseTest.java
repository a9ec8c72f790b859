package dev.tandem.oracle.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Seed;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class RankNoiseTest {

  private static final int DRAWS = 200_000;
  private static final double HOLD = 6;

  private static RankNoise noise() {
    return new RankNoise(new SchedulingNoise(0, HOLD, 2, 0.1, 0.4, 0, 0, 0), new Seed(1));
  }

  /** Two that take turns on a core have it half of the time, and wait a turn if they do not. */
  @Test
  void aCoreSharedForLongIsLostHalfOfTheTime() {
    RankNoise noise = noise();
    double[] waits = DoubleStream.generate(() -> noise.lost(1e3)).limit(DRAWS).toArray();
    double lost = DoubleStream.of(waits).filter(wait -> wait > 0).count();
    assertEquals(0.5, lost / DRAWS, 0.01);
    assertEquals(HOLD, DoubleStream.of(waits).sum() / lost, 0.1);
    assertEquals(500, noise.away(1e3), 2);
  }

  /** Who has just got it keeps it for a while: the first loss comes at the rate of one a turn. */
  @Test
  void aCoreSharedForAMomentIsHardlyLost() {
    double moment = 0.01;
    assertEquals(moment * moment / HOLD / 2, noise().away(moment), 1e-7);
    RankNoise noise = noise();
    double lost =
        DoubleStream.generate(() -> noise.lost(moment)).limit(DRAWS).filter(w -> w > 0).count();
    assertEquals(moment / HOLD, lost / DRAWS, 5e-4);
  }

  @Test
  void sleepersFindTheirCoreHeldWithTheChanceAndForTheTimeGiven() {
    RankNoise noise = noise();
    double[] waits = DoubleStream.generate(() -> noise.held(true, 2)).limit(DRAWS).toArray();
    double held = DoubleStream.of(waits).filter(wait -> wait > 0).count();
    assertEquals(0.4 * (1 - Math.exp(-1)), held / DRAWS, 0.005);
    assertEquals(HOLD, DoubleStream.of(waits).sum() / held, 0.1);
  }
}
