package dev.tandem.tune.importance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import dev.tandem.tune.sample.SobolSampler;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

class FanovaTest {

  private static List<Trial> trials(
      Space space, Seed seed, int count, ToDoubleFunction<Parameters> function) {
    List<Trial> trials = new ArrayList<>();
    History none = new History(Direction.MINIMIZE, List.of(), List.of());
    for (long number = 0; number < count; number++) {
      Parameters at = new SobolSampler().suggest(space, none, seed, number).orElseThrow();
      trials.add(Trial.waiting(number, at).complete(function.applyAsDouble(at)));
    }
    return trials;
  }

  private static double share(List<Importance> all, String parameter) {
    return all.stream()
        .filter(each -> each.parameter().equals(parameter))
        .findFirst()
        .orElseThrow()
        .share();
  }

  @Test
  void sharesAreThoseOfTheVarianceThatAFunctionHas() {
    Seed seed = TestSeed.of(getClass());
    Space space =
        Space.of(
            new Parameter("x", new RealDomain(0, 1, 0, false)),
            new Parameter("rate", new RealDomain(1e-4, 1, 0, true)),
            new Parameter("kind", new ChoiceDomain(List.of("a", "b"))),
            new Parameter("nothing", new RealDomain(0, 1, 0, false)));
    // Variances: 4/12; (1/4)^2 * 16/12 = 1/12; 1/4.
    List<Trial> trials =
        trials(
            space,
            seed,
            500,
            at ->
                2 * at.real("x")
                    + Math.log10(at.real("rate")) / 4
                    + (at.word("kind").equals("a") ? 0 : 1));
    List<Importance> found = Fanova.of(space, trials, seed);
    assertEquals(1, found.stream().mapToDouble(Importance::share).sum(), 1e-9);
    assertEquals(0.5, share(found, "x"), 0.06);
    assertEquals(0.125, share(found, "rate"), 0.06);
    assertEquals(0.375, share(found, "kind"), 0.06);
    assertEquals(0, share(found, "nothing"), 0.02);
    assertEquals("x", found.getFirst().parameter());
    assertEquals(found, Fanova.of(space, trials, seed), "not repeatable");
  }

  @Test
  void conditionalParametersAreJudgedByTheTrialsThatHaveThem() {
    Seed seed = TestSeed.of(getClass());
    Space space =
        Space.of(
            new Parameter("kind", new ChoiceDomain(List.of("a", "b"))),
            new Parameter("only", new RealDomain(0, 1, 0, false)).when("kind", "a"));
    List<Importance> found =
        Fanova.of(
            space, trials(space, seed, 200, at -> at.has("only") ? 10 * at.real("only") : 5), seed);
    assertEquals("only", found.getFirst().parameter());
    assertEquals(100, found.getFirst().trials(), 2);
    assertEquals(1, share(found, "only"), 0.1);
  }

  @Test
  void aMarginIsExactOnATreeOfFourBoxes() {
    // f = 0, 1, 2, 5 on the quarters of the square: mean 2, variance 3.5, of the first half 2.25.
    double[][] points = {{0.2, 0.2}, {0.2, 0.8}, {0.8, 0.2}, {0.8, 0.8}};
    double[] values = {0, 1, 2, 5};
    int[] counts = {0, 0};
    List<RegressionTree.Leaf> leaves =
        new RegressionTree(points, values, counts, new int[] {0, 1, 2, 3}).leaves();
    assertEquals(4, leaves.size());
    assertEquals(2.25 / 3.5, Fanova.share(leaves, 0, counts, 0), 1e-12);
    assertEquals(1.0 / 3.5, Fanova.share(leaves, 1, counts, 0), 1e-12);
  }

  @Test
  void fewTrialsSayNothing() {
    Space space =
        Space.of(
            new Parameter("x", new RealDomain(0, 1, 0, false)),
            new Parameter("y", new RealDomain(0, 1, 0, false)));
    List<Importance> found =
        Fanova.of(space, trials(space, new Seed(1), 2, at -> at.real("x")), new Seed(1));
    assertEquals(0.5, share(found, "x"));
  }
}
