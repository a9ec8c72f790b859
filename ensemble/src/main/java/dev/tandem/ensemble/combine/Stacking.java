package dev.tandem.ensemble.combine;

import java.util.ArrayList;
import java.util.List;

/**
 * A multinomial logistic regression on the logarithms of the members' probabilities, each member's
 * centred around 0. {@link StackingFit} makes it.
 *
 * @param rows for each class the coefficients of all members' classes, member after member, then
 *     the constant
 */
public record Stacking(List<List<Double>> rows) implements Combiner {

  /** The least probability that counts: that of a member that is sure and wrong. */
  private static final double LEAST = 1e-6;

  public Stacking {
    rows = rows.stream().map(List::copyOf).toList();
  }

  static Stacking of(double[][] coefficients) {
    List<List<Double>> rows = new ArrayList<>();
    for (double[] row : coefficients) {
      List<Double> boxed = new ArrayList<>();
      for (double value : row) {
        boxed.add(value);
      }
      rows.add(boxed);
    }
    return new Stacking(rows);
  }

  /** What the regression takes of the members' answers for a sample; the last is 1. */
  static double[] features(double[][] answers) {
    int width = answers[0].length;
    double[] features = new double[answers.length * width + 1];
    features[features.length - 1] = 1;
    for (int member = 0; member < answers.length; member++) {
      double mean = 0;
      for (int i = 0; i < width; i++) {
        double logarithm = Math.log(Math.max(LEAST, answers[member][i]));
        features[member * width + i] = logarithm;
        mean += logarithm / width;
      }
      for (int i = 0; i < width; i++) {
        features[member * width + i] -= mean;
      }
    }
    return features;
  }

  /** The softmax of scores, in their place. */
  static double[] softmax(double[] scores) {
    double most = scores[Combiner.best(scores)];
    double sum = 0;
    for (int i = 0; i < scores.length; i++) {
      scores[i] = Math.exp(scores[i] - most);
      sum += scores[i];
    }
    for (int i = 0; i < scores.length; i++) {
      scores[i] /= sum;
    }
    return scores;
  }

  @Override
  public double[] combine(double[][] answers) {
    double[] features = features(answers);
    double[] scores = new double[rows.size()];
    for (int i = 0; i < scores.length; i++) {
      List<Double> row = rows.get(i);
      for (int j = 0; j < features.length; j++) {
        scores[i] += row.get(j) * features[j];
      }
    }
    return softmax(scores);
  }
}
