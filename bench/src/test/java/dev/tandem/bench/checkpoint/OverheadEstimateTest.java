package dev.tandem.bench.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.bench.checkpoint.OverheadEstimate.Round;
import dev.tandem.bench.checkpoint.OverheadEstimate.Turn;
import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class OverheadEstimateTest {

  private static final int STEPS = 10;

  /** Steps of about this length, the first of which take longer. */
  private static Turn turn(
      double stall,
      double step,
      int slowed,
      double slowdown,
      double noise,
      SplittableRandom random) {
    List<Double> steps = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      double length = step * (1 + noise * random.nextGaussian());
      steps.add(i < slowed ? length + slowdown : length);
    }
    return new Turn(stall, steps, 0);
  }

  @Test
  void withoutNoiseItIsStallAndSlowdownOfAllSteps() {
    SplittableRandom random = new Seed(1).random();
    List<Round> rounds = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      // The machine is at another speed in every turn.
      double fast = 1 + round;
      double slow = 1.5 + round;
      rounds.add(
          new Round(
              turn(0, fast, 0, 0, 0, random), turn(0.1 * slow, slow, 2, 0.05 * slow, 0, random)));
    }
    OverheadEstimate estimate = OverheadEstimate.of(rounds, 3);
    assertEquals(2, estimate.percent().median(), 1e-9);
    assertEquals(2, estimate.percent().low(), 1e-9);
    assertEquals(2, estimate.percent().high(), 1e-9);
  }

  @Test
  void aLongSaveIsMeasuredByWholeTurns() {
    SplittableRandom random = new Seed(1).random();
    List<Round> rounds = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      rounds.add(new Round(turn(0, 1, 0, 0, 0, random), turn(0.2, 1, STEPS, 0.03, 0, random)));
    }
    OverheadEstimate estimate = OverheadEstimate.of(rounds, STEPS);
    assertEquals(5, estimate.percent().median(), 1e-9);
    assertEquals(0, estimate.laterPercent().median(), 1e-9);
  }

  @Test
  void whatIsLeftForLaterStepsShows() {
    SplittableRandom random = new Seed(1).random();
    List<Round> rounds = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      rounds.add(new Round(turn(0, 1, 0, 0, 0, random), turn(0, 1, STEPS, 0.04, 0, random)));
    }
    assertEquals(4, OverheadEstimate.of(rounds, 2).laterPercent().median(), 1e-9);
  }

  /**
   * As this machine is: steps vary by 5%, turns by 20%, and now and then one takes twice as long.
   */
  @Test
  void noiseOfTheMachineDoesNotRule() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    int covered = 0;
    for (int study = 0; study < 20; study++) {
      List<Round> rounds = new ArrayList<>();
      for (int round = 0; round < 20; round++) {
        rounds.add(new Round(noisy(0, 0, random), noisy(0.03, 0.02, random)));
      }
      OverheadEstimate estimate = OverheadEstimate.of(rounds, 2);
      assertEquals(1, estimate.percent().median(), 1.5);
      covered += estimate.percent().low() <= 1 && estimate.percent().high() >= 1 ? 1 : 0;
    }
    // Of 95 in a hundred intervals, or a few less because the values are few.
    assertTrue(covered >= 13, covered + " of 20 intervals hold the truth");
  }

  private static Turn noisy(double stall, double slowdown, SplittableRandom random) {
    double step = 0.5 * (0.9 + 0.2 * random.nextDouble());
    Turn turn = turn(stall * step / 0.5, step, 1, slowdown * step / 0.5, 0.05, random);
    if (random.nextInt(10) > 0) {
      return turn;
    }
    List<Double> steps = new ArrayList<>(turn.stepSeconds());
    int struck = random.nextInt(STEPS);
    steps.set(struck, steps.get(struck) * 2);
    return new Turn(turn.stallSeconds(), steps, 0);
  }
}
