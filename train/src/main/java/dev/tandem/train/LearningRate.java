package dev.tandem.train;

/** Warm-up in a straight line, then half a cosine down to zero at the last step. */
record LearningRate(double peak, long warmUpSteps, long steps) {

  double at(long step) {
    if (step < warmUpSteps) {
      return peak * (step + 1) / warmUpSteps;
    }
    double done = (double) (step - warmUpSteps) / Math.max(1, steps - warmUpSteps);
    return peak * 0.5 * (1 + Math.cos(Math.PI * done));
  }
}
