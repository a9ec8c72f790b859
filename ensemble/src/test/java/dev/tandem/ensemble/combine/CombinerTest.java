package dev.tandem.ensemble.combine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.nn.Evaluation;
import dev.tandem.testkit.TestSeed;
import dev.tandem.train.RunOutputs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CombinerTest {

  private static final int SAMPLES = 4_000;

  private final Seed seed = TestSeed.of(CombinerTest.class);

  @Test
  void theMajorityWinsAndTheMeanDecidesBetweenEqualVotes() {
    double[] surelyZero = {0.98, 0.01, 0.01};
    double[] hardlyOne = {0.3, 0.4, 0.3};
    double[][] twoOfThree = {surelyZero, hardlyOne, hardlyOne};
    assertEquals(1, Combiner.best(new Majority().combine(twoOfThree)));
    assertEquals(0, Combiner.best(Averaging.of(3).combine(twoOfThree)));
    double[][] equalVotes = {hardlyOne, surelyZero};
    assertEquals(0, Combiner.best(new Majority().combine(equalVotes)));
  }

  @Test
  void answersAreProbabilities() {
    MemberAnswers answers = DrawnMembers.classes(50, 6, seed, 0.5, 0.6, 0.7);
    new CrossFit(answers, seed)
        .combiners()
        .forEach(
            (method, combiner) -> {
              for (int sample = 0; sample < answers.samples(); sample++) {
                double sum = 0;
                for (double share : combiner.combine(answers.of(sample))) {
                  assertTrue(share >= 0, method::code);
                  sum += share;
                }
                assertEquals(1, sum, 1e-6, method::code);
              }
            });
  }

  @Test
  void togetherMembersAreBetterThanTheBest() {
    MemberAnswers answers = DrawnMembers.classes(SAMPLES, 10, seed, 0.6, 0.65, 0.7, 0.6, 0.65);
    CrossFit fit = new CrossFit(answers, seed);
    double best = fit.member(2).accuracy();
    assertEquals(0.7, best, 0.03);
    for (CombineMethod method : CombineMethod.suitable(false, 10)) {
      Evaluation together = fit.evaluate(method);
      assertEquals(SAMPLES, together.samples());
      assertTrue(together.accuracy() > best + 0.1, method.code() + " " + together.accuracy());
    }
  }

  @Test
  void weightsFollowHowGoodMembersAre() {
    MemberAnswers answers = DrawnMembers.classes(SAMPLES, 10, seed, 0.1, 0.5, 0.9);
    Map<CombineMethod, Combiner> combiners = new CrossFit(answers, seed).combiners();
    for (CombineMethod method :
        List.of(CombineMethod.WEIGHTED_ACCURACY, CombineMethod.WEIGHTED_LOSS)) {
      List<Double> weights = ((Averaging) combiners.get(method)).weights();
      assertEquals(1, weights.stream().mapToDouble(Double::doubleValue).sum(), 1e-9);
      assertTrue(
          weights.get(0) < weights.get(1) && weights.get(1) < weights.get(2), weights::toString);
    }
    List<Double> byAccuracy =
        ((Averaging) combiners.get(CombineMethod.WEIGHTED_ACCURACY)).weights();
    assertEquals(0, byAccuracy.getFirst(), 0.05, "no better than chance");
  }

  /** A member that names the next class is as good as right once that is known. */
  @Test
  void stackingLearnsWhatAMemberAlwaysTakesForWhat() {
    MemberAnswers plain = DrawnMembers.classes(SAMPLES, 5, seed, 0.9, 0.5);
    RunOutputs good = plain.outputs().getFirst();
    float[] shifted = new float[SAMPLES * 5];
    int[] labels = new int[SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
      labels[sample] = good.label(sample);
      double[] answer = good.answer(sample);
      for (int i = 0; i < 5; i++) {
        shifted[sample * 5 + (i + 1) % 5] = (float) answer[i];
      }
    }
    MemberAnswers answers =
        new MemberAnswers(
            List.of("shifted", "weak"),
            List.of(new RunOutputs(5, shifted, labels, new float[0]), plain.outputs().get(1)));
    CrossFit fit = new CrossFit(answers, seed);
    assertTrue(fit.evaluate(CombineMethod.AVERAGE).accuracy() < 0.6);
    assertTrue(fit.evaluate(CombineMethod.STACKING).accuracy() > 0.85);
  }

  @Test
  void whatIsFittedIsJudgedByOtherSamples() {
    MemberAnswers chance = DrawnMembers.classes(600, 10, seed, 0.1, 0.1, 0.1);
    double accuracy = new CrossFit(chance, seed).evaluate(CombineMethod.STACKING).accuracy();
    assertEquals(0.1, accuracy, 0.07, "nothing can be learned from noise");
  }

  @Test
  void theSeedAloneDecides() {
    MemberAnswers answers = DrawnMembers.classes(500, 4, seed, 0.6, 0.7);
    int[] all = new int[500];
    Arrays.setAll(all, i -> i);
    Stacking one = StackingFit.fit(answers, all, new Seed(1));
    assertEquals(one, StackingFit.fit(answers, all, new Seed(1)));
    assertNotEquals(one, StackingFit.fit(answers, all, new Seed(2)));
  }

  @Test
  void meansOfValuesAreBetterThanEach() {
    MemberAnswers answers = DrawnMembers.values(SAMPLES, seed, 1, 2, 4);
    CrossFit fit = new CrossFit(answers, seed);
    assertEquals(
        List.of(CombineMethod.AVERAGE, CombineMethod.WEIGHTED_LOSS),
        List.copyOf(fit.combiners().keySet()));
    double weighted = fit.evaluate(CombineMethod.WEIGHTED_LOSS).meanSquaredError();
    // Inverse variances: 1 / (1 + 1/4 + 1/16).
    assertEquals(1 / 1.3125, weighted, 0.08);
    assertTrue(weighted < fit.member(0).meanSquaredError());
    assertEquals(21.0 / 9, fit.evaluate(CombineMethod.AVERAGE).meanSquaredError(), 0.25);
  }

  @Test
  void membersOfOtherDataAreRefused() {
    RunOutputs one = DrawnMembers.classes(20, 3, seed, 0.5).outputs().getFirst();
    RunOutputs other = DrawnMembers.classes(20, 3, seed.derive(1), 0.5).outputs().getFirst();
    assertThrows(
        UsageException.class, () -> new MemberAnswers(List.of("a", "b"), List.of(one, other)));
    RunOutputs wide = DrawnMembers.classes(20, 4, seed, 0.5).outputs().getFirst();
    assertThrows(
        UsageException.class, () -> new MemberAnswers(List.of("a", "b"), List.of(one, wide)));
  }

  @Test
  void whatWasFittedComesBackForTheSameCheckpointsAlone(@TempDir Path folder) throws Exception {
    MemberAnswers answers = DrawnMembers.classes(300, 4, seed, 0.6, 0.7);
    Map<CombineMethod, Combiner> combiners = new CrossFit(answers, seed).combiners();
    List<String> names = List.of("a", "b");
    FittedCombiners fitted = FittedCombiners.of(names, List.of(5L, 6L), combiners);
    fitted.write(folder);
    assertEquals(Optional.of(fitted), FittedCombiners.in(folder, names, List.of(5L, 6L)));
    assertEquals(Optional.empty(), FittedCombiners.in(folder, names, List.of(5L, 7L)));
    double[][] sample = answers.of(0);
    assertArrayEquals(
        combiners.get(CombineMethod.STACKING).combine(sample),
        FittedCombiners.in(folder, names, List.of(5L, 6L))
            .orElseThrow()
            .combiners()
            .get("stacking")
            .combine(sample));
    Files.writeString(folder.resolve(FittedCombiners.FILE), "{");
    assertEquals(Optional.empty(), FittedCombiners.in(folder, names, List.of(5L, 6L)));
  }
}
