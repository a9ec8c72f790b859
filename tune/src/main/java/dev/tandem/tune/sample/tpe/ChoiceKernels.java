package dev.tandem.tune.sample.tpe;

import java.util.SplittableRandom;

/** Mostly the choice that was observed, and a little of every one. */
final class ChoiceKernels implements Kernels {

  private final int choices;
  private final int[] observed;
  private final double same;
  private final double other;

  /** Kernels of these indices of choices. */
  ChoiceKernels(int choices, int[] observed) {
    this.choices = choices;
    this.observed = observed;
    double spread = 1.0 / (observed.length + 1);
    double total = 1 + choices * spread;
    same = (1 + spread) / total;
    other = spread / total;
  }

  @Override
  public void scale(double[] coefficients) {
    // They sum up to 1 as they are.
  }

  @Override
  public void multiply(double point, double[] factors, double[] exponents) {
    int choice = (int) point;
    for (int i = 0; i < observed.length; i++) {
      factors[i] *= observed[i] == choice ? same : other;
    }
    factors[observed.length] /= choices;
  }

  @Override
  public double draw(int kernel, SplittableRandom random) {
    double place = random.nextDouble();
    if (kernel == observed.length) {
      return Math.floor(place * choices);
    }
    // The part of the observed choice first, then equal parts of all.
    double beyond = place - (same - other);
    return beyond < 0 ? observed[kernel] : Math.min(choices - 1, Math.floor(beyond / other));
  }
}
