package dev.tandem.tune.sample.gp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import dev.tandem.tune.sample.RandomSampler;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.sample.SamplerContract;
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
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.hipparchus.optim.InitialGuess;
import org.hipparchus.optim.MaxEval;
import org.hipparchus.optim.SimpleBounds;
import org.hipparchus.optim.nonlinear.scalar.GoalType;
import org.hipparchus.optim.nonlinear.scalar.ObjectiveFunction;
import org.hipparchus.optim.nonlinear.scalar.noderiv.BOBYQAOptimizer;
import org.junit.jupiter.api.Test;

class GpSamplerTest extends SamplerContract {

  private static final Space MIXED =
      Space.of(
          new Parameter("x", new RealDomain(-5, 5, 0, false)),
          new Parameter("units", new WholeDomain(1, 64, 1, true)),
          new Parameter("drop", new RealDomain(0, 0.5, 0.1, false)),
          new Parameter("kind", new ChoiceDomain(List.of("a", "b", "c"))));

  @Override
  protected Sampler sampler() {
    return new GpSampler(new RandomSampler());
  }

  private static double value(Parameters at) {
    return Math.pow(at.real("x") - 2, 2)
        + Math.pow(Math.log(at.real("units") / 16), 2)
        + 10 * Math.abs(at.real("drop") - 0.2)
        + (at.word("kind").equals("b") ? 0 : 1);
  }

  private static GpFit fit(SplittableRandom random, int n) {
    double[][] points = new double[n][];
    double[] values = new double[n];
    for (int i = 0; i < n; i++) {
      points[i] = new double[] {random.nextDouble(), random.nextDouble(), random.nextInt(3)};
      values[i] = Math.sin(5 * points[i][0]) + points[i][1] * (points[i][2] - 1);
    }
    return new GpFit(new Matern(new boolean[] {false, false, true}), points, values);
  }

  @Test
  void gradientsAreDifferences() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    GpFit fit = fit(random, 15);
    for (int repeat = 0; repeat < 20; repeat++) {
      double[] at = random.doubles(5, -2, 1).toArray();
      double[] gradient = new double[5];
      fit.loss(at, gradient);
      assertArrayEquals(differences(point -> fit.loss(point, new double[5]), at), gradient, 1e-4);
    }
    Gp gp = fit.fit();
    for (int repeat = 0; repeat < 20; repeat++) {
      double[] at = {random.nextDouble(), random.nextDouble(), random.nextInt(3)};
      double best = random.nextDouble(-3, 1);
      double[] gradient = new double[3];
      gp.logImprovement(at, best, gradient);
      double[] expected = differences(point -> gp.logImprovement(point, best, null), at);
      expected[2] = 0;
      double size = Arrays.stream(expected).map(Math::abs).max().orElseThrow();
      assertArrayEquals(expected, gradient, 1e-4 * Math.max(1, size));
    }
  }

  private static double[] differences(ToDoubleFunction<double[]> function, double[] at) {
    double[] slopes = new double[at.length];
    for (int i = 0; i < at.length; i++) {
      double[] up = at.clone();
      double[] down = at.clone();
      up[i] += 1e-6;
      down[i] -= 1e-6;
      slopes[i] = (function.applyAsDouble(up) - function.applyAsDouble(down)) / 2e-6;
    }
    return slopes;
  }

  @Test
  void theFitIsAsGoodAsThatOfAnOptimizerWithoutGradients() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    GpFit fit = fit(random, 12);
    double[] low = {-9, -9, -9, -9, Math.log(1e-6)};
    double[] high = {9, 9, 9, 9, 0};
    double[] begin = {0, 0, 0, 0, Math.log(1e-2)};
    double ours =
        fit.loss(new BoundedLbfgs(low, high, 200).minimize(fit::loss, begin), new double[5]);
    double theirs =
        new BOBYQAOptimizer(11)
            .optimize(
                GoalType.MINIMIZE,
                new MaxEval(5000),
                new InitialGuess(begin),
                new SimpleBounds(low, high),
                new ObjectiveFunction(point -> fit.loss(point, new double[5])))
            .getValue();
    // Either may end in another valley, which a search for hyperparameters survives.
    assertTrue(ours <= theirs + 0.05 * Math.abs(theirs) + 0.5, ours + " " + theirs);
  }

  @Test
  void improvementsBelowAllDoublesKeepTheirLogarithm() {
    for (double z : new double[] {-0.99, -1.01, -3, 0, 5}) {
      double h = 0;
      // The integral of the density times the improvement.
      for (double u = -12; u < z; u += 1e-4) {
        h += 1e-4 * (z - u) * Math.exp(-u * u / 2) / Math.sqrt(2 * Math.PI);
      }
      assertEquals(Math.log(h), LogEi.logH(z), 1e-3, "z " + z);
    }
    assertEquals(LogEi.logH(-99_999), LogEi.logH(-100_001), 300_000);
    assertTrue(LogEi.logH(-1e8) < LogEi.logH(-1e7));
  }

  @Test
  void findsAMixedMinimumInFortyTrials() {
    Seed seed = TestSeed.of(getClass());
    Sampler sampler = sampler();
    EndedTrials ended = new EndedTrials();
    double best = Double.POSITIVE_INFINITY;
    for (long number = 0; number < 40; number++) {
      History history = new History(Direction.MINIMIZE, ended.first(ended.size()), List.of());
      Parameters at = sampler.suggest(MIXED, history, seed, number).orElseThrow();
      best = Math.min(best, value(at));
      ended.add(Trial.waiting(number, at).complete(value(at)));
    }
    assertTrue(best < 0.3, "best " + best);
  }

  @Test
  void spacesWithoutConditionsFollowTheContractToo() {
    Seed seed = TestSeed.of(getClass());
    EndedTrials ended = new EndedTrials();
    SplittableRandom random = seed.derive("values").random();
    for (long number = 0; number < 16; number++) {
      History history =
          new History(
              Direction.MAXIMIZE,
              ended.first(Math.max(0, ended.size() - 2)),
              List.of(
                  Trial.waiting(
                      90,
                      new RandomSampler()
                          .suggest(
                              MIXED,
                              new History(Direction.MAXIMIZE, List.of(), List.of()),
                              seed,
                              90)
                          .orElseThrow())));
      Parameters at = sampler().suggest(MIXED, history, seed, number).orElseThrow();
      assertTrue(MIXED.contains(at), at::toString);
      assertEquals(at, sampler().suggest(MIXED, history, seed, number).orElseThrow());
      double value = random.nextInt(6) == 0 ? Double.NaN : value(at);
      ended.add(Trial.waiting(number, at).complete(value));
    }
  }
}
