package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.testkit.TestSeed;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CheckpointIntervalTest {

  /** Seconds lost to checkpoints and repeated work, of so many seconds of work. */
  private static double lost(double interval, double cost, double mean, SplittableRandom random) {
    double work = 0;
    double clock = 0;
    double failure = exponential(mean, random);
    double total = 40_000 * interval;
    while (work < total) {
      double next = clock + interval + cost;
      if (next <= failure) {
        clock = next;
        work += interval;
      } else {
        clock = failure;
        failure = clock + exponential(mean, random);
      }
    }
    return (clock - work) / work;
  }

  private static double exponential(double mean, SplittableRandom random) {
    return -mean * Math.log(1 - random.nextDouble());
  }

  @Test
  void noOtherIntervalLosesLess() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    double cost = 5;
    double mean = 1000;
    double best = CheckpointInterval.youngDaly(cost, mean);
    assertEquals(100, best, 5, "about the root of 2 times 5 times 1000");
    double least = lost(best, cost, mean, random);
    assertTrue(least < lost(best * 2.5, cost, mean, random), "more seldom");
    assertTrue(least < lost(best / 2.5, cost, mean, random), "more often");
  }

  @Test
  void theBudgetIsKept() {
    double interval = CheckpointInterval.withinBudget(2, 0.01);
    assertEquals(0.01, 2 / (interval + 2), 1e-12);
  }

  @Test
  void allRanksAgreeOnTheSlowest() throws Exception {
    var intervals =
        RankThreads.run(
            3,
            c -> {
              AutomaticInterval automatic = new AutomaticInterval(c, 3600, 0.01, 5);
              assertTrue(!automatic.due(4) && automatic.due(5));
              automatic.saved(5, 0.1 * (c.rank() + 1), 1, 0.5 + 0.1 * c.rank());
              return automatic.interval();
            });
    // 0.3 s of stall: Daly says 46 s, the budget 29.7 s; a step takes 0.7 s.
    long expected = (long) Math.ceil(CheckpointInterval.youngDaly(0.3, 3600) / 0.7);
    assertEquals(List.of(expected, expected, expected), intervals);
  }
}
