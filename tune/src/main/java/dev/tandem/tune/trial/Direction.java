package dev.tandem.tune.trial;

/** Whether small or large values of the metric are good. */
public enum Direction {
  MINIMIZE,
  MAXIMIZE;

  /** A value as one to minimise; infinite, the worst, for one that is no number. */
  public double loss(double value) {
    if (Double.isNaN(value)) {
      return Double.POSITIVE_INFINITY;
    }
    return this == MINIMIZE ? value : -value;
  }

  /** Whether a value is better than another; one that is no number is better than none. */
  public boolean better(double value, double other) {
    return loss(value) < loss(other);
  }
}
