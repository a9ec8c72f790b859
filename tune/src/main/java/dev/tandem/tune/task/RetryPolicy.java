package dev.tandem.tune.task;

import dev.tandem.core.UsageException;

/**
 * How often a task that failed is tried again. The loss of a node does not count.
 *
 * @param sameNode on the node where it failed
 * @param otherNode then on others; where there is one node only, on that
 * @param timeouts whether one that took too long is tried again as well
 */
public record RetryPolicy(int sameNode, int otherNode, boolean timeouts) {

  /** Once on the same node, then twice on others. */
  public static final RetryPolicy DEFAULT = new RetryPolicy(1, 2, false);

  /** Never. */
  public static final RetryPolicy NONE = new RetryPolicy(0, 0, false);

  public RetryPolicy {
    if (sameNode < 0 || otherNode < 0) {
      throw new UsageException(
          "retries are %d and %d, expected 0 or more".formatted(sameNode, otherNode));
    }
  }

  /** Attempts in all, while no node is lost. */
  public int attempts() {
    return 1 + sameNode + otherNode;
  }
}
