package dev.tandem.ensemble.combine;

import dev.tandem.core.Seed;

/**
 * Fits a {@link Stacking} to held-out samples by Adam on small batches, from the geometric mean of
 * the members, towards which it is also drawn: with few samples it stays near that. The seed
 * decides the order of the samples; the same samples and seed give the same coefficients.
 */
final class StackingFit {

  private static final int BATCH = 64;
  private static final int LEAST_PASSES = 10;
  private static final int MOST_PASSES = 60;
  private static final long VISITS = 200_000;
  private static final double RATE = 0.003;
  private static final double DRAW = 0.003;
  private static final double FIRST_DECAY = 0.9;
  private static final double SECOND_DECAY = 0.999;

  private final double[][] features;
  private final int[] labels;
  private final double[][] start;
  private final double[][] coefficients;
  private final double[][] gradient;
  private final double[][] first;
  private final double[][] second;
  private int steps;

  private StackingFit(double[][] features, int[] labels, int members, int width) {
    this.features = features;
    this.labels = labels;
    int length = members * width + 1;
    start = new double[width][length];
    for (int i = 0; i < width; i++) {
      for (int member = 0; member < members; member++) {
        start[i][member * width + i] = 1.0 / members;
      }
    }
    coefficients = new double[width][];
    for (int i = 0; i < width; i++) {
      coefficients[i] = start[i].clone();
    }
    gradient = new double[width][length];
    first = new double[width][length];
    second = new double[width][length];
  }

  static Stacking fit(MemberAnswers answers, int[] samples, Seed seed) {
    double[][] features = new double[samples.length][];
    int[] labels = new int[samples.length];
    for (int i = 0; i < samples.length; i++) {
      features[i] = Stacking.features(answers.of(samples[i]));
      labels[i] = answers.label(samples[i]);
    }
    StackingFit fit = new StackingFit(features, labels, answers.members(), answers.width());
    fit.run(seed.derive("stacking"));
    return Stacking.of(fit.coefficients);
  }

  private void run(Seed seed) {
    if (labels.length == 0) {
      return;
    }
    int passes = Math.clamp(VISITS / labels.length, LEAST_PASSES, MOST_PASSES);
    int perPass = Math.ceilDiv(labels.length, BATCH);
    for (int pass = 0; pass < passes; pass++) {
      int[] order = MemberAnswers.shuffled(labels.length, seed.derive(pass).random());
      for (int batch = 0; batch < perPass; batch++) {
        double done = (double) (pass * (long) perPass + batch) / ((long) passes * perPass);
        int from = batch * BATCH;
        step(order, from, Math.min(labels.length, from + BATCH), RATE * (1 - done));
      }
    }
  }

  private void step(int[] order, int from, int to, double rate) {
    for (int i = 0; i < gradient.length; i++) {
      for (int j = 0; j < gradient[i].length; j++) {
        gradient[i][j] = DRAW * (coefficients[i][j] - start[i][j]);
      }
    }
    for (int at = from; at < to; at++) {
      add(features[order[at]], labels[order[at]], 1.0 / (to - from));
    }
    steps++;
    double firstScale = 1 - Math.pow(FIRST_DECAY, steps);
    double secondScale = 1 - Math.pow(SECOND_DECAY, steps);
    for (int i = 0; i < gradient.length; i++) {
      for (int j = 0; j < gradient[i].length; j++) {
        double slope = gradient[i][j];
        first[i][j] = FIRST_DECAY * first[i][j] + (1 - FIRST_DECAY) * slope;
        second[i][j] = SECOND_DECAY * second[i][j] + (1 - SECOND_DECAY) * slope * slope;
        coefficients[i][j] -=
            rate * (first[i][j] / firstScale) / (Math.sqrt(second[i][j] / secondScale) + 1e-8);
      }
    }
  }

  private void add(double[] sample, int label, double share) {
    double[] scores = new double[coefficients.length];
    for (int i = 0; i < scores.length; i++) {
      double[] row = coefficients[i];
      double score = 0;
      for (int j = 0; j < sample.length; j++) {
        score += row[j] * sample[j];
      }
      scores[i] = score;
    }
    Stacking.softmax(scores);
    scores[label] -= 1;
    for (int i = 0; i < scores.length; i++) {
      double slope = share * scores[i];
      double[] row = gradient[i];
      for (int j = 0; j < sample.length; j++) {
        row[j] += slope * sample[j];
      }
    }
  }
}
