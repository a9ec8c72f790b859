package dev.tandem.nn;

/**
 * How well a network did on some samples; evaluations of parts add up to that of the whole.
 *
 * @param correct samples whose highest score was that of their label
 * @param lossSum sum of the samples' losses
 */
public record Evaluation(long samples, long correct, double lossSum) {

  /** The evaluation of no samples. */
  public static final Evaluation NONE = new Evaluation(0, 0, 0);

  public Evaluation plus(Evaluation other) {
    return new Evaluation(
        samples + other.samples, correct + other.correct, lossSum + other.lossSum);
  }

  /** Share of samples that were right, between 0 and 1. */
  public double accuracy() {
    return (double) correct / samples;
  }

  public double meanLoss() {
    return lossSum / samples;
  }
}
