package dev.tandem.oracle.collective;

import dev.tandem.parallel.cost.PlanTraffic.Operation;

/**
 * How long collectives take from when the last rank has come until all have their results, in
 * seconds. Implementations are immutable.
 */
public interface CollectiveSeconds {

  /**
   * A call.
   *
   * @param bytes that are reduced, or gathered from or scattered to all ranks together; of messages
   *     those that a rank sends
   * @param messages that a rank sends, of an {@link Operation#EXCHANGE} or {@link Operation#SEND}
   */
  double of(Operation operation, Group group, long bytes, int messages);

  /** A group, the same for all pairs of ranks between which messages take as long. */
  default Group typical(Group pair) {
    return pair;
  }
}
