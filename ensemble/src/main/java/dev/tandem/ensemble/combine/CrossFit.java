package dev.tandem.ensemble.combine;

import dev.tandem.core.Seed;
import dev.tandem.nn.Evaluation;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * Fits combiners to one half of the samples and judges them by the other, then the other way round:
 * every sample is answered by a combiner that has not seen it. The seed chooses the halves.
 */
final class CrossFit {

  private final MemberAnswers answers;
  private final Seed seed;

  CrossFit(MemberAnswers answers, Seed seed) {
    this.answers = answers;
    this.seed = seed;
  }

  /** How good the ensemble is by a method. */
  Evaluation evaluate(CombineMethod method) {
    Score score = new Score(answers.regression(), answers.width());
    int[] order = MemberAnswers.shuffled(answers.samples(), seed.derive("halves").random());
    int middle = order.length / 2;
    int[] one = Arrays.copyOfRange(order, 0, middle);
    int[] other = Arrays.copyOfRange(order, middle, order.length);
    judge(method, one, other, score);
    judge(method, other, one, score);
    return score.evaluation();
  }

  private void judge(CombineMethod method, int[] fitted, int[] judged, Score score) {
    Combiner combiner = CombinerFit.fit(method, answers, fitted, seed);
    for (int sample : judged) {
      score.add(answers, sample, combiner.combine(answers.of(sample)));
    }
  }

  /** How good a member is alone. */
  Evaluation member(int member) {
    Score score = new Score(answers.regression(), answers.width());
    for (int sample = 0; sample < answers.samples(); sample++) {
      score.add(answers, sample, answers.outputs().get(member).answer(sample));
    }
    return score.evaluation();
  }

  /** The combiners to be used on new samples: fitted to all. */
  Map<CombineMethod, Combiner> combiners() {
    int[] all = new int[answers.samples()];
    Arrays.setAll(all, i -> i);
    Map<CombineMethod, Combiner> combiners = new EnumMap<>(CombineMethod.class);
    for (CombineMethod method : CombineMethod.suitable(answers.regression(), answers.width())) {
      combiners.put(method, CombinerFit.fit(method, answers, all, seed));
    }
    return combiners;
  }
}
