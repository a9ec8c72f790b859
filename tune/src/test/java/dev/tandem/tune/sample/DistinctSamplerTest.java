package dev.tandem.tune.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.TestSeed;
import dev.tandem.tune.sample.cma.CmaSampler;
import dev.tandem.tune.sample.gp.GpSampler;
import dev.tandem.tune.sample.tpe.TpeSampler;
import dev.tandem.tune.sample.tpe.TpeSettings;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.WholeDomain;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.EndedTrials;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DistinctSamplerTest extends SamplerContract {

  /** 6 + 6 * 2 + 6 points: {@code c} is there only with {@code y}. */
  private static final Space SMALL =
      Space.of(
          new Parameter("a", new WholeDomain(1, 6, 1, false)),
          new Parameter("b", new ChoiceDomain(List.of("x", "y", "z"))),
          new Parameter("c", new RealDomain(0, 1, 1, false)).when("b", "y"));

  private static final Space PLAIN =
      Space.of(
          new Parameter("a", new WholeDomain(1, 6, 1, false)),
          new Parameter("b", new WholeDomain(1, 4, 1, false)));

  @Override
  protected Sampler sampler() {
    return new DistinctSampler(new TpeSampler(TpeSettings.TANDEM), 1);
  }

  private static Sampler named(String name) {
    Sampler tpe = new TpeSampler(TpeSettings.TANDEM);
    return switch (name) {
      case "tpe" -> tpe;
      case "random" -> new RandomSampler();
      case "latin" -> new LatinSampler(10);
      case "sobol" -> new SobolSampler();
      case "gp" -> new GpSampler(tpe);
      case "cma" -> new CmaSampler(tpe);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** How often each point was tried when nothing is left. */
  private static Map<Parameters, Integer> search(Space space, Sampler sampler, Seed seed) {
    EndedTrials ended = new EndedTrials();
    Map<Parameters, Integer> tried = new HashMap<>();
    for (long number = 0; number < 1000; number++) {
      History history = new History(Direction.MINIMIZE, ended.first(ended.size()), List.of());
      Optional<Parameters> at = sampler.suggest(space, history, seed, number);
      if (at.isEmpty()) {
        return tried;
      }
      tried.merge(at.get(), 1, Integer::sum);
      ended.add(Trial.waiting(number, at.get()).complete(at.get().real("a")));
    }
    throw new AssertionError("it does not end");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tpe", "random", "latin", "sobol", "gp", "cma"})
  void everyPointIsTriedOnceAndThenItEnds(String name) {
    Seed seed = TestSeed.of(getClass());
    for (Space space : List.of(SMALL, PLAIN)) {
      Map<Parameters, Integer> tried = search(space, new DistinctSampler(named(name), 1), seed);
      assertEquals(24, tried.size());
      assertEquals(Set.of(1), Set.copyOf(tried.values()));
    }
  }

  @Test
  void orAsOftenAsWasSaid() {
    Seed seed = TestSeed.of(getClass());
    for (Sampler sampler :
        List.of(new DistinctSampler(new RandomSampler(), 3), new GridSampler(false, 3))) {
      Map<Parameters, Integer> tried = search(SMALL, sampler, seed);
      assertEquals(24, tried.size());
      assertEquals(Set.of(3), Set.copyOf(tried.values()));
    }
    assertThrows(UsageException.class, () -> new DistinctSampler(new RandomSampler(), 0));
  }

  @Test
  void aSpaceThatCannotBeListedIsLeftToTheSampler() {
    Seed seed = TestSeed.of(getClass());
    Space large = Space.of(new Parameter("a", new WholeDomain(1, 1L << 40, 1, true)));
    History none = new History(Direction.MINIMIZE, List.of(), List.of());
    for (long trial = 0; trial < 10; trial++) {
      assertEquals(
          new RandomSampler().suggest(large, none, seed, trial),
          new DistinctSampler(new RandomSampler(), 1).suggest(large, none, seed, trial));
    }
    assertTrue(
        new DistinctSampler(new RandomSampler(), 1).suggest(SMALL, none, seed, 0).isPresent());
  }
}
