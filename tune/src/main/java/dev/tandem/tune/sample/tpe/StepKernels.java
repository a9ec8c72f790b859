package dev.tandem.tune.sample.tpe;

import dev.tandem.tune.sample.Gaussian;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Truncated normal distributions over values with steps: each value has the mass around it. */
final class StepKernels implements Kernels {

  /** No mass is less, so that a logarithm exists. */
  private static final double LEAST = 1e-300;

  /** Beyond so many deviations a mass is nothing beside the prior's. */
  private static final double FAR = 9;

  /** Ranges of more steps have no table. */
  private static final int MOST_STEPS = 4096;

  private final double low;
  private final double high;
  private final double step;
  private final double[] means;
  private final double[] deviations;

  /** Which step each observation is at. */
  private final int[] places;

  /** The least deviation, which most kernels have, and their masses by distance in steps. */
  private final double common;

  private final double[] byDistance;

  StepKernels(double low, double high, double step, double[] means, double[] deviations) {
    this.low = low;
    this.high = high;
    this.step = step;
    this.means = means;
    this.deviations = deviations;
    int last = means.length - 1;
    places = new int[last];
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < last; i++) {
      places[i] = place(means[i]);
      least = Math.min(least, deviations[i]);
    }
    common = least;
    double steps = Math.rint((high - low) / step);
    byDistance = new double[steps <= MOST_STEPS ? (int) steps : 0];
    Arrays.fill(byDistance, Double.NaN);
  }

  private int place(double value) {
    return (int) Math.floor((value - low) / step);
  }

  @Override
  public void scale(double[] coefficients) {
    for (int i = 0; i < means.length; i++) {
      coefficients[i] /= NormalKernels.mass(low, high, means[i], 1 / deviations[i]);
    }
  }

  @Override
  public void multiply(double point, double[] factors, double[] exponents) {
    int last = means.length - 1;
    int place = place(point);
    for (int i = 0; i < last; i++) {
      int steps = Math.abs(place - places[i]);
      if (deviations[i] > common || steps >= byDistance.length) {
        factors[i] *= mass(Math.abs(point - means[i]), deviations[i]);
        continue;
      }
      double known = byDistance[steps];
      if (Double.isNaN(known)) {
        known = mass(steps * step, common);
        byDistance[steps] = known;
      }
      factors[i] *= known;
    }
    factors[last] *= mass(Math.abs(point - means[last]), deviations[last]);
  }

  private double mass(double distance, double deviation) {
    double from = (distance - step / 2) / deviation;
    return from > FAR
        ? LEAST
        : Math.max(LEAST, Gaussian.between(from, (distance + step / 2) / deviation));
  }

  @Override
  public double draw(int kernel, SplittableRandom random) {
    return NormalKernels.draw(low, high, means[kernel], deviations[kernel], random);
  }
}
