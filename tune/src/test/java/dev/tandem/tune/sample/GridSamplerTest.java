package dev.tandem.tune.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class GridSamplerTest extends SamplerContract {

  private static final Seed SEED = new Seed(1);

  @Override
  protected Sampler sampler() {
    return new GridSampler(false, 1);
  }

  @Test
  void theLastParameterChangesFastest() {
    Space space =
        Space.of(
            new Parameter("a", new ChoiceDomain(List.of("x", "y"))),
            new Parameter("b", new ChoiceDomain(List.of(1L, 2L, 3L))));
    List<Parameters> points = new GridSampler(false, 1).points(space, SEED);
    assertEquals("[a=x b=1, a=x b=2, a=x b=3, a=y b=1, a=y b=2, a=y b=3]", points.toString());
  }

  @Test
  void rangesGoFromEndToEndAndAbsentParametersMultiplyNothing() {
    List<Parameters> points = new GridSampler(false, 1).points(SPACE, SEED);
    // lr 3, batch 4, opt adam 1 or sgd with 5 momenta, fixed 1
    assertEquals(3 * 4 * (1 + 5), points.size());
    assertEquals(points.size(), new HashSet<>(points).size());
    assertEquals(1e-5, points.getFirst().real("lr"));
    assertEquals(1e-1, points.getLast().real("lr"));
  }

  @Test
  void shuffledPointsAreTheSameInAnotherOrder() {
    List<Parameters> plain = new GridSampler(false, 1).points(SPACE, SEED);
    List<Parameters> shuffled = new GridSampler(true, 1).points(SPACE, SEED);
    assertNotEquals(plain, shuffled);
    assertEquals(new HashSet<>(plain), new HashSet<>(shuffled));
  }

  @Test
  void aRangeNeedsANumberOfPoints() {
    Space space = Space.of(new Parameter("lr", new RealDomain(0, 1, 0, false)));
    assertEquals(
        "lr is a range without steps: say how many values a grid takes, such as grid: 5",
        assertThrows(UsageException.class, () -> new GridSampler(false, 1).points(space, SEED))
            .getMessage());
  }
}
