package dev.tandem.ensemble.combine;

import dev.tandem.core.UsageException;
import dev.tandem.train.RunOutputs;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What every member answers for the same samples, and what is right.
 *
 * @param names of the members, for messages
 * @param outputs by member
 */
record MemberAnswers(List<String> names, List<RunOutputs> outputs) {

  MemberAnswers {
    names = List.copyOf(names);
    outputs = List.copyOf(outputs);
    RunOutputs first = outputs.getFirst();
    for (int i = 1; i < outputs.size(); i++) {
      RunOutputs other = outputs.get(i);
      if (other.width() != first.width() || other.regression() != first.regression()) {
        throw new UsageException(
            "%s answers %d %s, but %s %d %s: they cannot be combined"
                .formatted(
                    names.get(i),
                    other.width(),
                    kind(other),
                    names.getFirst(),
                    first.width(),
                    kind(first)));
      }
      if (!other.sameTargets(first)) {
        throw new UsageException(
            "%s and %s have other targets for the same samples: they were trained for other classes"
                .formatted(names.get(i), names.getFirst()));
      }
    }
  }

  private static String kind(RunOutputs outputs) {
    return outputs.regression() ? "values" : "classes";
  }

  int members() {
    return outputs.size();
  }

  int samples() {
    return outputs.getFirst().samples();
  }

  int width() {
    return outputs.getFirst().width();
  }

  boolean regression() {
    return outputs.getFirst().regression();
  }

  int label(int sample) {
    return outputs.getFirst().label(sample);
  }

  /** The right values of a sample. */
  double[] targets(int sample) {
    return outputs.getFirst().targets(sample);
  }

  /** The answers of all members for a sample. */
  double[][] of(int sample) {
    double[][] answers = new double[members()][];
    for (int member = 0; member < answers.length; member++) {
      answers[member] = outputs.get(member).answer(sample);
    }
    return answers;
  }

  /** The numbers from 0 in a random order. */
  static int[] shuffled(int count, SplittableRandom random) {
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      int other = random.nextInt(i + 1);
      order[i] = order[other];
      order[other] = i;
    }
    return order;
  }
}
