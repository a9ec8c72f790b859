package dev.tandem.tune.prune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrunersTest {

  private static final double NO_NUMBER = Double.NaN;

  /** A trial with reports at steps 1, 2, and so on. */
  private static Trial trial(long number, TrialState state, double... values) {
    List<Report> reports = new ArrayList<>();
    for (double value : values) {
      reports.add(new Report(reports.size() + 1L, value));
    }
    double last = values.length == 0 ? NO_NUMBER : values[values.length - 1];
    return new Trial(number, Parameters.NONE, state, last, reports, false, "", 1);
  }

  private static Trial complete(long number, double... values) {
    return trial(number, TrialState.COMPLETE, values);
  }

  private static Trial running(double... values) {
    return trial(99, TrialState.RUNNING, values);
  }

  private static History history(Trial... ended) {
    return new History(Direction.MINIMIZE, List.of(ended), List.of());
  }

  private static String decide(Pruner pruner, Trial trial, History history) {
    return switch (pruner.decide(trial, history)) {
      case Decision.GoOn on -> "on";
      case Decision.Stop stop -> stop.reason();
      case Decision.Pause pause -> "pause";
    };
  }

  @Test
  void theMedianIsTakenAtTheSameStepOfCompleteTrials() {
    Pruner median = new PercentilePruner(50, 3, 0, 1);
    History three =
        history(
            complete(0, 5, 1),
            complete(1, 4, 2),
            complete(2, 9, 9),
            trial(3, TrialState.PRUNED, 0, 0));
    assertEquals("on", decide(median, running(4.9), three));
    assertEquals("on", decide(median, running(5), three));
    String worse = "worse than percentile 50 of 3 trials at step 1";
    assertEquals(worse, decide(median, running(5.1), three));
    assertEquals("on", decide(median, running(5.1), history(complete(0, 1), complete(1, 1))));
    // The best value so far counts, not the last one.
    assertEquals("on", decide(median, running(1.5, 50), three));
    assertEquals("on", decide(median, running(9, 9, 9), three), "nobody reported at step 3");
    assertEquals(
        "no value up to step 2 is a number", decide(median, running(NO_NUMBER, NO_NUMBER), three));
    History most = new History(Direction.MAXIMIZE, three.ended(), List.of());
    assertEquals("on", decide(median, running(5.1), most));
    assertEquals(worse, decide(median, running(4.9), most));
  }

  @Test
  void warmUpAndIntervalPutDecisionsOff() {
    Pruner median = new PercentilePruner(50, 1, 2, 3);
    History one = history(complete(0, 1, 1, 1, 1, 1, 1, 1, 1, 1));
    List<Integer> stopped = new ArrayList<>();
    for (int steps = 1; steps <= 9; steps++) {
      double[] values = new double[steps];
      Arrays.fill(values, 2);
      if (!decide(median, running(values), one).equals("on")) {
        stopped.add(steps);
      }
    }
    assertEquals(List.of(2, 5, 8), stopped);
  }

  @Test
  void ofEveryFactorTrialsAtARungOneGoesOn() {
    Pruner halving = new HalvingPruner(2, 2);
    assertEquals("on", decide(halving, running(9), history()), "no rung yet");
    assertEquals("on", decide(halving, running(9, 9), history()), "the first at a rung");
    History two = history(trial(0, TrialState.PRUNED, 9, 3), complete(1, 9, 4, 4, 4));
    assertEquals("on", decide(halving, running(9, 2), two));
    assertEquals("not among the best 1 of 3 at step 2", decide(halving, running(0, 3.5), two));
    assertEquals("on", decide(halving, running(9, 9, 99), two), "step 3 is no rung");
    assertEquals("on", decide(halving, running(9, 2, 9, 3), two));
    assertEquals("not among the best 1 of 2 at step 4", decide(halving, running(9, 2, 9, 5), two));
    assertEquals(
        "the value at step 2 is no number", decide(halving, running(1, NO_NUMBER), history()));
    // Reports of trials that run count as well, its own not twice.
    History pending =
        new History(
            Direction.MINIMIZE,
            List.of(),
            List.of(running(9, 9), trial(7, TrialState.RUNNING, 9, 1)));
    assertEquals("not among the best 1 of 2 at step 2", decide(halving, running(9, 9), pending));
  }

  @Test
  void bracketsTakeTrialsInTurnAndCompeteByThemselves() {
    HyperbandPruner hyperband = new HyperbandPruner(9, 1, 3);
    // Brackets of 3*9/3 = 9, 3*3/2 = 5 and 3 trials.
    List<Integer> brackets = new ArrayList<>();
    for (long number = 0; number < 18; number++) {
      brackets.add(hyperband.bracket(number));
    }
    assertEquals(List.of(2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 0, 0, 0, 2), brackets);
    History best = history(complete(0, 1, 1, 1), complete(17, 1, 1, 1));
    assertEquals(
        "not among the best 1 of 3 at step 1",
        decide(hyperband, trial(1, TrialState.RUNNING, 5), best));
    assertEquals("on", decide(hyperband, trial(9, TrialState.RUNNING, 5), best));
    assertEquals("on", decide(hyperband, trial(9, TrialState.RUNNING, 5, 5, 5), best));
    assertEquals("on", decide(hyperband, trial(15, TrialState.RUNNING, 5, 5, 5), best));
  }

  @Test
  void patienceLeavesATrialThatGetsBetterAlone() {
    Pruner patient = new PatientPruner(PatientPruner.STOP, 1);
    assertEquals("on", decide(patient, running(3, 3), history()));
    assertEquals("on", decide(patient, running(5, 4, 3), history()));
    assertEquals("on", decide(patient, running(3, 3, 3), history()), "as good is not worse");
    assertEquals(
        "no better for some reports before step 3", decide(patient, running(3, 4, 5), history()));
    assertEquals("on", decide(new PatientPruner(Pruner.NONE, 1), running(3, 4, 5), history()));
  }

  @Test
  void valuesOutsideAThresholdStop() {
    Pruner threshold = new ThresholdPruner(0, 10, 2);
    assertEquals("on", decide(threshold, running(11), history()));
    assertEquals("on", decide(threshold, running(11, 10), history()));
    assertEquals(
        "11.0 at step 2 is not between 0.0 and 10.0", decide(threshold, running(1, 11), history()));
    assertEquals(
        "NaN at step 2 is not between 0.0 and 10.0",
        decide(threshold, running(1, NO_NUMBER), history()));
  }

  private static Pruner read(String setting) throws Exception {
    JsonNode node = new ObjectMapper().readTree(setting);
    return Pruners.of(
        node,
        new Pruners.Trials(
            false,
            0,
            false,
            Space.of(new Parameter("x", new RealDomain(0, 1, 0, false))),
            new Seed(0)));
  }

  @Test
  void settingsAreRead() throws Exception {
    assertEquals(new PercentilePruner(50, 5, 0, 1), read("\"median\""));
    assertEquals(
        new PercentilePruner(25, 1, 2, 3),
        read("{\"percentile\":{\"percentile\":25,\"startup\":1,\"warm-up\":2,\"interval\":3}}"));
    assertEquals(new HalvingPruner(1, 4), read("\"halving\""));
    assertEquals(new HyperbandPruner(81, 1, 3), read("{\"hyperband\":{\"steps\":81}}"));
    assertEquals(
        new PatientPruner(new HalvingPruner(1, 4), 2),
        read("{\"patient\":{\"reports\":2,\"rule\":\"halving\"}}"));
    assertEquals(
        new ThresholdPruner(Double.NEGATIVE_INFINITY, 3, 0),
        read("{\"threshold\":{\"greatest\":3}}"));
    assertEquals(Pruner.NONE, read("\"none\""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"mdian\" | pruner is 'mdian', expected one of none, median, percentile, halving,"
            + " hyperband, patient, threshold, pbt; did you mean 'median'?",
        "{\"median\":{\"warm\":3}} | pruner.median has no setting 'warm', expected one of startup,"
            + " warm-up, interval",
        "{\"halving\":{\"factor\":1}} | factor is 1, expected 2 or more",
        "{\"halving\":{\"factor\":\"two\"}} | pruner.halving.factor is \"two\", expected a whole"
            + " number",
        "\"hyperband\" | pruner.hyperband.steps is not set: say how many steps a whole trial has",
        "{\"median\":3} | pruner.median is 3, expected its settings",
      })
  void mistakesAreOneLine(String setting, String message) {
    assertEquals(
        message.strip(), assertThrows(UsageException.class, () -> read(setting)).getMessage());
  }
}
