package dev.tandem.tune.prune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.TestSeed;
import dev.tandem.tune.prune.Schedule.Continuation;
import dev.tandem.tune.prune.Schedule.Standing;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.WholeDomain;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PopulationTest {

  private static final Space SPACE =
      Space.of(
          new Parameter("rate", new RealDomain(0.001, 1, 0, true)),
          new Parameter("batch", new WholeDomain(16, 256, 16, false)),
          new Parameter("kind", new ChoiceDomain(List.of("a", "b", "c"))),
          new Parameter("depth", new WholeDomain(1, 4, 1, false)).when("kind", "b"));

  private static final Parameters MIDDLE =
      Parameters.of(Map.of("rate", 0.1, "batch", 64, "kind", "b", "depth", 2));

  private static Population population(long seed, double resample, boolean together) {
    return new Population(SPACE, new Seed(seed), 5, 0.25, resample, together, 20);
  }

  /** A trial with reports at steps 5, 10, and so on. */
  private static Trial trial(long number, TrialState state, double... values) {
    List<Report> reports = new ArrayList<>();
    for (double value : values) {
      reports.add(new Report((reports.size() + 1) * 5L, value));
    }
    double last = values.length == 0 ? Double.NaN : values[values.length - 1];
    return new Trial(number, MIDDLE, state, last, reports, false, "", 1);
  }

  private static Trial paused(long number, double... values) {
    return trial(number, TrialState.PAUSED, values);
  }

  private static Standing standing(Trial... trials) {
    return new Standing(List.of(trials), Direction.MINIMIZE, true, false);
  }

  @Test
  void membersPauseAfterEveryIntervalButNotAtTheEnd() {
    Population population = population(1, 0.25, true);
    assertEquals(
        List.of(5L, 10L, 10L, Schedule.NEVER),
        List.of(
            population.after(0), population.after(5), population.after(7), population.after(15)));
  }

  @Test
  void theWorstQuarterGoesOnFromTheBestQuarterWhenAllHaveCome() {
    Population population = population(1, 0.25, true);
    Trial[] trials = new Trial[8];
    for (int number = 0; number < 8; number++) {
      trials[number] = paused(number, number);
    }
    List<Continuation> going = population.next(standing(trials));
    assertEquals(8, going.size());
    for (Continuation each : going) {
      assertEquals(each.trial() >= 6, each.takeover().isPresent(), each.toString());
      each.takeover().ifPresent(takeover -> assertTrue(takeover.parent() < 2));
    }
    assertEquals(going, population.next(standing(trials)), "a pure function");
    trials[3] = trial(3, TrialState.RUNNING);
    assertEquals(List.of(), population.next(standing(trials)));
    trials[3] = trial(3, TrialState.FAILED);
    assertEquals(7, population.next(standing(trials)).size());
    assertEquals(
        List.of(),
        population.next(new Standing(List.of(trials), Direction.MINIMIZE, false, true)),
        "not before all members are there");
  }

  @Test
  void whatWasDecidedBeforeACrashIsNotDecidedAgain() {
    Population population = population(1, 0.25, true);
    // Trial 3 has taken over already, and trials 0 and 1 have gone on.
    List<Continuation> going =
        population.next(
            standing(
                trial(0, TrialState.RUNNING, 1, 0.5),
                trial(1, TrialState.RUNNING, 2),
                paused(2, 3),
                trial(3, TrialState.RUNNING, 4)));
    assertEquals(List.of(2L), going.stream().map(Continuation::trial).toList());
    assertTrue(going.getFirst().takeover().isEmpty());
  }

  @Test
  void aMetricThatIsNoNumberIsTheWorstAndIsNotTakenOver() {
    Population population = population(1, 0.25, true);
    double none = Double.NaN;
    List<Continuation> going =
        population.next(standing(paused(0, none), paused(1, none), paused(2, 7), paused(3, 8)));
    assertEquals(
        List.of(true, true, false, false),
        going.stream().map(each -> each.takeover().isPresent()).toList());
    assertEquals(2, going.getFirst().takeover().orElseThrow().parent());
    going = population.next(standing(paused(0, none), paused(1, none)));
    assertTrue(going.stream().allMatch(each -> each.takeover().isEmpty()));
  }

  @Test
  void withoutWaitingTheOneWithTheFewestStepsGoesOnFirst() {
    Population population = population(1, 0.25, false);
    List<Continuation> going =
        population.next(
            standing(
                paused(0, 3, 2, 1),
                paused(1, 9),
                trial(2, TrialState.RUNNING, 5),
                trial(3, TrialState.RUNNING)));
    assertEquals(List.of(1L), going.stream().map(Continuation::trial).toList());
    assertEquals(0, going.getFirst().takeover().orElseThrow().parent());
  }

  @Test
  void parametersAreNearThoseTakenOver() {
    Trial[] trials = {paused(0, 1), paused(1, 2), paused(2, 3), paused(3, 4)};
    long first = TestSeed.of(PopulationTest.class).value();
    Set<Object> rates = new HashSet<>();
    Set<Object> batches = new HashSet<>();
    Set<Object> kinds = new HashSet<>();
    for (long seed = first; seed < first + 50; seed++) {
      Parameters near =
          population(seed, 0, true).next(standing(trials)).stream()
              .flatMap(each -> each.takeover().stream())
              .findFirst()
              .orElseThrow()
              .parameters();
      assertTrue(SPACE.contains(near), near.toString());
      rates.add(near.value("rate"));
      batches.add(near.value("batch"));
      kinds.add(near.value("kind"));
    }
    assertEquals(Set.of(0.1 * 1.2, 0.1 * 0.8), rates);
    assertEquals(Set.of(48L, 80L), batches);
    assertEquals(Set.of("a", "c"), kinds);
    for (long seed = first; seed < first + 50; seed++) {
      Parameters drawn =
          population(seed, 1, true).next(standing(trials)).stream()
              .flatMap(each -> each.takeover().stream())
              .findFirst()
              .orElseThrow()
              .parameters();
      assertTrue(SPACE.contains(drawn), drawn.toString());
      rates.add(drawn.value("rate"));
    }
    assertEquals(52, rates.size());
  }

  @Test
  void settingsOutsideTheirRangesAreRefused() {
    assertThrows(
        UsageException.class, () -> new Population(SPACE, new Seed(1), 0, 0.25, 0.25, true, 20));
    assertThrows(
        UsageException.class, () -> new Population(SPACE, new Seed(1), 5, 0.7, 0.25, true, 20));
    assertThrows(
        UsageException.class, () -> new Population(SPACE, new Seed(1), 5, 0.25, 2, true, 20));
  }
}
