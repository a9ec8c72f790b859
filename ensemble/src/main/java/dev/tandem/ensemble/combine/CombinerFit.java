package dev.tandem.ensemble.combine;

import dev.tandem.core.Seed;
import java.util.ArrayList;
import java.util.List;

/** Fits the numbers of combiners to held-out samples. */
final class CombinerFit {

  /** Squared errors and losses below this count as this: a perfect member is not all. */
  private static final double LEAST_LOSS = 1e-9;

  private CombinerFit() {}

  /** The combiner of a method, by these of the samples that members have answered. */
  static Combiner fit(CombineMethod method, MemberAnswers answers, int[] samples, Seed seed) {
    return switch (method) {
      case AVERAGE -> Averaging.of(answers.members());
      case MAJORITY -> new Majority();
      case WEIGHTED_ACCURACY -> byAccuracy(answers, samples);
      case WEIGHTED_LOSS -> byLoss(answers, samples);
      case STACKING -> StackingFit.fit(answers, samples, seed);
    };
  }

  /**
   * In proportion to the logarithm of the odds that a member is right, over those of chance: what
   * boosting for several classes (SAMME) gives its members. One that is not better than chance has
   * no weight.
   */
  private static Averaging byAccuracy(MemberAnswers answers, int[] samples) {
    List<Double> parts = new ArrayList<>();
    for (int member = 0; member < answers.members(); member++) {
      double right = 0.5; // so that neither is 0
      double wrong = 0.5;
      for (int sample : samples) {
        if (Combiner.best(answers.outputs().get(member).answer(sample)) == answers.label(sample)) {
          right++;
        } else {
          wrong++;
        }
      }
      parts.add(Math.max(0, Math.log(right / wrong * Math.max(1, answers.width() - 1))));
    }
    return Averaging.proportional(parts);
  }

  /** In inverse proportion to the mean loss: of values, to the mean squared error. */
  private static Averaging byLoss(MemberAnswers answers, int[] samples) {
    List<Double> parts = new ArrayList<>();
    for (int member = 0; member < answers.members(); member++) {
      Score score = new Score(answers.regression(), answers.width());
      for (int sample : samples) {
        score.add(answers, sample, answers.outputs().get(member).answer(sample));
      }
      parts.add(1 / Math.max(LEAST_LOSS, score.loss()));
    }
    return Averaging.proportional(parts);
  }
}
