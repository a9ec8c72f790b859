package dev.tandem.tune.importance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import dev.tandem.tune.sample.RandomSampler;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.WholeDomain;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PedAnovaTest {

  private static final Space SPACE =
      Space.of(
          new Parameter("x", new RealDomain(-1, 1, 0, false)),
          new Parameter("rate", new RealDomain(1e-5, 1, 0, true)),
          new Parameter("units", new WholeDomain(1, 1000, 1, true)),
          new Parameter("kind", new ChoiceDomain(List.of("a", "b", "c"))),
          new Parameter("only", new RealDomain(0, 1, 0, false)).when("kind", "a"),
          new Parameter("fixed", new ChoiceDomain(List.of(1L))));

  private static List<Trial> trials(Seed seed, int count) {
    List<Trial> trials = new ArrayList<>();
    History none = new History(Direction.MINIMIZE, List.of(), List.of());
    for (long number = 0; number < count; number++) {
      Parameters at = new RandomSampler().suggest(SPACE, none, seed, number).orElseThrow();
      double value =
          10 * Math.pow(at.real("x") - 0.4, 2) + 0.5 * Math.abs(Math.log10(at.real("rate")) + 3);
      trials.add(Trial.waiting(number, at).complete(value));
    }
    return trials;
  }

  @Test
  void whatMattersComesFirst() {
    Seed seed = TestSeed.of(getClass());
    List<Trial> trials = trials(seed, 400);
    List<Importance> found = PedAnova.of(SPACE, Direction.MINIMIZE, trials);
    assertEquals("x", found.get(0).parameter());
    assertEquals("rate", found.get(1).parameter());
    assertEquals(5, found.size(), "a fixed parameter cannot matter");
    assertEquals(1, found.stream().mapToDouble(Importance::share).sum(), 1e-12);
    Importance only =
        found.stream().filter(each -> each.parameter().equals("only")).findFirst().orElseThrow();
    assertTrue(only.trials() > 80 && only.trials() < 200, "trials " + only.trials());
    List<Trial> turned = trials.stream().map(each -> each.complete(-each.value())).toList();
    assertEquals(found, PedAnova.of(SPACE, Direction.MAXIMIZE, turned));
  }

  @Test
  void twoTrialsSayNothing() {
    for (Importance each : PedAnova.of(SPACE, Direction.MINIMIZE, trials(new Seed(1), 2))) {
      assertEquals(0.2, each.share());
    }
  }

  @Test
  void densitiesSumUpToOneAndFollowTheCounts() {
    for (Parameter parameter : SPACE.parameters().subList(0, 4)) {
      int count = PedAnova.count(parameter.domain());
      int[] cells = new int[30];
      Arrays.fill(cells, 20, 30, count - 1);
      double[] density = PedAnova.density(parameter.domain(), cells);
      assertEquals(1, Arrays.stream(density).sum(), 1e-12);
      assertTrue(density[0] > density[count - 1], parameter::name);
      assertTrue(density[count - 1] > density[count / 2], parameter::name);
    }
  }
}
