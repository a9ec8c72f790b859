package dev.tandem.tune.sample.tpe;

import java.util.SplittableRandom;

/**
 * The kernels of a mixture in one dimension: one around each observation, in their order, and last
 * the prior.
 */
sealed interface Kernels permits NormalKernels, StepKernels, ChoiceKernels {

  /** Divides each by the number that makes it a density, as far as that is the same everywhere. */
  void scale(double[] coefficients);

  /**
   * Multiplies each kernel's value at a point: to a factor, or as a square to an exponent, of which
   * minus one half is to be taken.
   */
  void multiply(double point, double[] factors, double[] exponents);

  /** A random internal number from one kernel. */
  double draw(int kernel, SplittableRandom random);
}
