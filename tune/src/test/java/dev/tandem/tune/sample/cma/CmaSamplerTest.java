package dev.tandem.tune.sample.cma;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import dev.tandem.tune.sample.RandomSampler;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.sample.SamplerContract;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.EndedTrials;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CmaSamplerTest extends SamplerContract {

  @Override
  protected Sampler sampler() {
    return new CmaSampler(new RandomSampler());
  }

  @Test
  void findsTheMinimumOfAnEllipsoidAndBeginsAgainThere() {
    List<Parameter> parameters = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      parameters.add(new Parameter("x" + i, new RealDomain(-3, 5, 0, false)));
    }
    Space space = new Space(parameters);
    Seed seed = TestSeed.of(getClass());
    Sampler sampler = sampler();
    EndedTrials ended = new EndedTrials();
    double best = Double.POSITIVE_INFINITY;
    double lastBest = Double.POSITIVE_INFINITY;
    for (long number = 0; number < 3000; number++) {
      History history = new History(Direction.MINIMIZE, ended.first(ended.size()), List.of());
      Parameters at = sampler.suggest(space, history, seed, number).orElseThrow();
      double value = 0;
      for (int i = 0; i < 5; i++) {
        value += Math.pow(10, i) * Math.pow(at.real("x" + i) - 1, 2);
      }
      best = Math.min(best, value);
      if (number > 2900) {
        lastBest = Math.min(lastBest, value);
      }
      ended.add(Trial.waiting(number, at).complete(value));
    }
    assertTrue(best < 1e-9, "best " + best);
    assertTrue(lastBest > 1e-12, "a search that has ended should not go on: " + lastBest);
  }
}
