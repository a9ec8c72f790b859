package dev.tandem.ensemble.combine;

import dev.tandem.core.Seed;
import dev.tandem.train.RunOutputs;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Members that answer at random, each right as often as it is said. */
final class DrawnMembers {

  private DrawnMembers() {}

  /**
   * Members whose errors are independent.
   *
   * @param accuracies by member
   */
  static MemberAnswers classes(int samples, int width, Seed seed, double... accuracies) {
    SplittableRandom random = seed.derive("labels").random();
    int[] labels = random.ints(samples, 0, width).toArray();
    List<RunOutputs> outputs = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int member = 0; member < accuracies.length; member++) {
      SplittableRandom own = seed.derive(member).random();
      float[] answers = new float[samples * width];
      for (int sample = 0; sample < samples; sample++) {
        boolean right = own.nextDouble() < accuracies[member];
        int says = right ? labels[sample] : (labels[sample] + 1 + own.nextInt(width - 1)) % width;
        double sure = 0.4 + 0.5 * own.nextDouble();
        for (int i = 0; i < width; i++) {
          answers[sample * width + i] = (float) (i == says ? sure : (1 - sure) / (width - 1));
        }
      }
      outputs.add(new RunOutputs(width, answers, labels, new float[0]));
      names.add("member-" + member);
    }
    return new MemberAnswers(names, outputs);
  }

  /**
   * Members that predict values with independent errors.
   *
   * @param deviations of the errors, by member
   */
  static MemberAnswers values(int samples, Seed seed, double... deviations) {
    float[] targets = new float[samples];
    SplittableRandom random = seed.derive("targets").random();
    for (int i = 0; i < samples; i++) {
      targets[i] = (float) (100 * random.nextDouble());
    }
    List<RunOutputs> outputs = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int member = 0; member < deviations.length; member++) {
      SplittableRandom own = seed.derive(member).random();
      float[] answers = new float[samples];
      for (int i = 0; i < samples; i++) {
        answers[i] = targets[i] + (float) (deviations[member] * own.nextGaussian());
      }
      outputs.add(new RunOutputs(1, answers, new int[0], targets));
      names.add("member-" + member);
    }
    return new MemberAnswers(names, outputs);
  }
}
