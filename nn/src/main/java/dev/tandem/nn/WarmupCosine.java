package dev.tandem.nn;

import dev.tandem.core.UsageException;

/**
 * A learning rate that climbs in a straight line to its peak and then falls to zero along half a
 * cosine.
 */
public record WarmupCosine(double peak, long warmupSteps, long totalSteps) implements Schedule {

  public WarmupCosine {
    if (!(peak > 0)) {
      throw new UsageException("the learning rate must be more than 0, not " + peak);
    }
    if (warmupSteps < 0 || warmupSteps > totalSteps) {
      throw new UsageException(
          "warm-up must take 0 to %d steps, not %d".formatted(totalSteps, warmupSteps));
    }
  }

  @Override
  public double rate(long step) {
    if (step < warmupSteps) {
      return peak * (step + 1) / warmupSteps;
    }
    if (step >= totalSteps) {
      return 0;
    }
    double done = (double) (step - warmupSteps) / (totalSteps - warmupSteps);
    return peak * 0.5 * (1 + StrictMath.cos(Math.PI * done));
  }
}
