package dev.tandem.ensemble.combine;

import dev.tandem.nn.Evaluation;
import dev.tandem.nn.TargetSums;
import java.util.ArrayList;
import java.util.List;

/** Adds up how good answers are. */
final class Score {

  /** The least probability of the right class that counts. */
  private static final double LEAST = 1e-12;

  private final boolean regression;
  private final double[][] sums;
  private long samples;
  private long correct;
  private double lossSum;

  Score(boolean regression, int width) {
    this.regression = regression;
    this.sums = new double[regression ? width : 0][4];
  }

  void add(MemberAnswers answers, int sample, double[] answer) {
    samples++;
    if (!regression) {
      int label = answers.label(sample);
      correct += Combiner.best(answer) == label ? 1 : 0;
      lossSum -= Math.log(Math.max(LEAST, answer[label]));
      return;
    }
    double[] targets = answers.targets(sample);
    for (int i = 0; i < answer.length; i++) {
      double difference = answer[i] - targets[i];
      sums[i][0] += Math.abs(difference);
      sums[i][1] += difference * difference;
      sums[i][2] += targets[i];
      sums[i][3] += targets[i] * targets[i];
      lossSum += difference * difference / answer.length;
    }
  }

  /** The mean loss: cross entropy, or squared error. */
  double loss() {
    return samples == 0 ? 0 : lossSum / samples;
  }

  Evaluation evaluation() {
    List<TargetSums> targets = new ArrayList<>();
    for (double[] each : sums) {
      targets.add(new TargetSums(each[0], each[1], each[2], each[3]));
    }
    return new Evaluation(samples, correct, lossSum, targets);
  }
}
