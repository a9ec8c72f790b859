package dev.tandem.tune.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What every sampler must do. */
public abstract class SamplerContract {

  protected static final Space SPACE =
      Space.of(
          new Parameter("lr", new RealDomain(1e-5, 1e-1, 0, true), List.of(), OptionalInt.of(3)),
          new Parameter("batch", new WholeDomain(16, 64, 16, false)),
          new Parameter("opt", new ChoiceDomain(List.of("adam", "sgd"))),
          new Parameter("momentum", new RealDomain(0, 1, 0.25, false)).when("opt", "sgd"),
          new Parameter("fixed", new ChoiceDomain(List.of(1L))));

  /** A new sampler, with nothing kept. */
  protected abstract Sampler sampler();

  private record Asked(History history, long trial, Optional<Parameters> suggested) {}

  /** A study of random ends, some of them pending, some failed. */
  private List<Asked> study(Seed seed, int trials) {
    SplittableRandom random = seed.derive("study").random();
    Sampler sampler = sampler();
    EndedTrials ended = new EndedTrials();
    List<Trial> pending = new ArrayList<>();
    List<Asked> asked = new ArrayList<>();
    for (long number = 0; number < trials; number++) {
      History history =
          new History(Direction.MINIMIZE, ended.first(ended.size()), List.copyOf(pending));
      Optional<Parameters> suggested = sampler.suggest(SPACE, history, seed, number);
      asked.add(new Asked(history, number, suggested));
      if (suggested.isEmpty()) {
        break;
      }
      pending.add(Trial.waiting(number, suggested.get()));
      while (pending.size() > random.nextInt(4)) {
        Trial trial = pending.removeFirst();
        double value = random.nextInt(10) == 0 ? Double.NaN : random.nextDouble();
        ended.add(trial.complete(value));
      }
    }
    return asked;
  }

  @Test
  protected void everySuggestionIsInTheSpace() {
    Seed seed = TestSeed.of(getClass());
    for (Asked asked : study(seed, 60)) {
      asked
          .suggested()
          .ifPresent(values -> assertTrue(SPACE.contains(values), () -> values.toString()));
    }
  }

  @Test
  protected void suggestionsArePure() {
    Seed seed = TestSeed.of(getClass());
    List<Asked> study = study(seed, 40);
    Sampler other = sampler();
    // A sampler that resumes, asked in another order, and more than once.
    for (Asked asked : study.reversed()) {
      assertEquals(asked.suggested(), other.suggest(SPACE, asked.history(), seed, asked.trial()));
      assertEquals(
          asked.suggested(), sampler().suggest(SPACE, asked.history(), seed, asked.trial()));
    }
  }
}
