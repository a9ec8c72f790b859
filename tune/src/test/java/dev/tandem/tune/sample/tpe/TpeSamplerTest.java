package dev.tandem.tune.sample.tpe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
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
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TpeSamplerTest extends SamplerContract {

  private static final Space PLANE =
      Space.of(
          new Parameter("x", new RealDomain(-5, 5, 0, false)),
          new Parameter("y", new RealDomain(-5, 5, 0, false)));

  @Override
  protected Sampler sampler() {
    return new TpeSampler(TpeSettings.TANDEM);
  }

  private static double best(Sampler sampler, Direction direction, Seed seed) {
    EndedTrials ended = new EndedTrials();
    double best = Double.POSITIVE_INFINITY;
    for (long number = 0; number < 60; number++) {
      History history = new History(direction, ended.first(ended.size()), List.of());
      Parameters at = sampler.suggest(PLANE, history, seed, number).orElseThrow();
      double value = Math.pow(at.real("x") - 2, 2) + Math.pow(at.real("y") + 1, 2);
      best = Math.min(best, value);
      ended.add(
          Trial.waiting(number, at).complete(direction == Direction.MINIMIZE ? value : -value));
    }
    return best;
  }

  @Test
  void findsAMinimumAndAMaximumBetterThanChance() {
    Seed seed = TestSeed.of(getClass());
    for (Direction direction : Direction.values()) {
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        ratios.add(
            best(sampler(), direction, seed.derive(i))
                / best(new RandomSampler(), direction, seed.derive(i)));
      }
      ratios.sort(null);
      assertTrue(ratios.get(4) < 1, ratios::toString);
    }
  }

  @Test
  void allSettingsSuggestDifferently() {
    Seed seed = TestSeed.of(getClass());
    History history = history(30, seed);
    List<Parameters> tandem = suggest(TpeSettings.TANDEM, history, seed);
    List<Parameters> older = suggest(TpeSettings.OPTUNA_3_1, history, seed);
    List<Parameters> newer = suggest(TpeSettings.OPTUNA_4, history, seed);
    assertNotEquals(tandem, older);
    assertNotEquals(older, newer);
  }

  private static List<Parameters> suggest(TpeSettings settings, History history, Seed seed) {
    Sampler sampler = new TpeSampler(settings);
    return LongStream.range(30, 50)
        .mapToObj(trial -> sampler.suggest(PLANE, history, seed, trial).orElseThrow())
        .toList();
  }

  private static History history(int trials, Seed seed) {
    EndedTrials ended = new EndedTrials();
    History none = new History(Direction.MINIMIZE, List.of(), List.of());
    for (long number = 0; number < trials; number++) {
      Parameters at = new RandomSampler().suggest(PLANE, none, seed, number).orElseThrow();
      ended.add(Trial.waiting(number, at).complete(at.real("x") * at.real("y")));
    }
    return new History(Direction.MINIMIZE, ended.first(trials), List.of());
  }

  @Test
  void completeTrialsAreBetterThanPrunedOnesAndThoseThatCameFarBetterThanOthers() {
    List<Trial> trials = new ArrayList<>();
    trials.add(trial(0, TrialState.PRUNED, 0, List.of()));
    trials.add(trial(1, TrialState.PRUNED, 1, List.of(new Report(3, 0.1))));
    trials.add(trial(2, TrialState.COMPLETE, 9, List.of()));
    trials.add(trial(3, TrialState.LOST, Double.NaN, List.of()));
    trials.add(trial(4, TrialState.PRUNED, 1, List.of(new Report(5, 0.3))));
    trials.add(trial(5, TrialState.PRUNED, 1, List.of(new Report(5, 0.2))));
    trials.add(trial(6, TrialState.COMPLETE, 8, List.of()));
    trials.add(trial(7, TrialState.COMPLETE, Double.NaN, List.of()));
    Observations observations = new Observations(PLANE);
    observations.update(new History(Direction.MINIMIZE, trials, List.of()), true);
    // The lost trial counts nowhere, so rows after it are one less than numbers.
    List<Integer> order = new ArrayList<>();
    for (int count = 1; count <= observations.ended(); count++) {
      boolean[] best = observations.best(count);
      for (int row = 0; row < best.length; row++) {
        if (best[row] && !order.contains(row)) {
          order.add(row);
        }
      }
    }
    assertEquals(List.of(5, 2, 6, 4, 3, 1, 0), order);
  }

  private static Trial trial(long number, TrialState state, double value, List<Report> reports) {
    Parameters values = Parameters.of(Map.of("x", (double) number / 10, "y", 0.0));
    return new Trial(number, values, state, value, reports, false, "", 1);
  }
}
