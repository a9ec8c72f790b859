package dev.tandem.tune.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.History;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class EvenSamplersTest {

  private static final Space PLANE =
      Space.of(
          new Parameter("x", new RealDomain(0, 1, 0, false)),
          new Parameter("y", new RealDomain(0, 1, 0, false)));

  /** How many of the trials fall into each cell of each axis. */
  private static int[][] counts(Sampler sampler, int from, int trials, int cells, Seed seed) {
    int[][] counts = new int[2][cells];
    History none = new History(Direction.MINIMIZE, List.of(), List.of());
    for (int trial = from; trial < from + trials; trial++) {
      var at = sampler.suggest(PLANE, none, seed, trial).orElseThrow();
      counts[0][(int) (at.real("x") * cells)]++;
      counts[1][(int) (at.real("y") * cells)]++;
    }
    return counts;
  }

  @Nested
  class Latin extends SamplerContract {

    @Override
    protected Sampler sampler() {
      return new LatinSampler(20);
    }

    @Test
    void everyPartOfEveryRangeIsTakenOnceInABlock() {
      Seed seed = TestSeed.of(getClass());
      for (int block = 0; block < 3; block++) {
        for (int[] axis : counts(sampler(), 20 * block, 20, 20, seed)) {
          for (int count : axis) {
            assertEquals(1, count);
          }
        }
      }
    }
  }

  @Nested
  class Sobol extends SamplerContract {

    @Override
    protected Sampler sampler() {
      return new SobolSampler();
    }

    @Test
    void pointsFillTheRangesEvenlyFromAnyPowerOfTwoOn() {
      Seed seed = TestSeed.of(getClass());
      // Numbers 63 to 126 are the points 64 to 127 of the sequence, a whole net.
      for (int[] axis : counts(sampler(), 63, 64, 64, seed)) {
        for (int count : axis) {
          assertEquals(1, count);
        }
      }
    }
  }
}
