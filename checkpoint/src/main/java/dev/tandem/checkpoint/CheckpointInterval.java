package dev.tandem.checkpoint;

/**
 * How long to train between two checkpoints. All times are in seconds.
 *
 * <p>The cost of a checkpoint is what training loses by it: with background writing the copy, not
 * the writing.
 */
public final class CheckpointInterval {

  private CheckpointInterval() {}

  /**
   * The interval that loses least in the long run to checkpoints and to work done again after
   * failures: J. T. Daly, A higher order estimate of the optimum checkpoint interval for restart
   * dumps (2006), of which Young's sqrt(2 cost meanTime) is the first term.
   *
   * @param meanTimeBetweenFailures of the whole job: that of one node divided by the nodes
   */
  public static double youngDaly(double cost, double meanTimeBetweenFailures) {
    if (!(cost >= 0) || !(meanTimeBetweenFailures > 0)) {
      throw new IllegalArgumentException(
          "cost %f and time between failures %f".formatted(cost, meanTimeBetweenFailures));
    }
    if (cost >= 2 * meanTimeBetweenFailures) {
      return meanTimeBetweenFailures;
    }
    double ratio = cost / (2 * meanTimeBetweenFailures);
    return Math.sqrt(2 * cost * meanTimeBetweenFailures) * (1 + Math.sqrt(ratio) / 3 + ratio / 9)
        - cost;
  }

  /** The shortest interval at which checkpoints take no more than this share of the time. */
  public static double withinBudget(double cost, double share) {
    if (!(cost >= 0) || !(share > 0 && share < 1)) {
      throw new IllegalArgumentException("cost %f within a share of %f".formatted(cost, share));
    }
    return cost * (1 - share) / share;
  }
}
