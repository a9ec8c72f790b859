package dev.tandem.parallel.cost;

import dev.tandem.comm.collective.Cost;
import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.parallel.LocalNetwork;
import java.util.List;
import java.util.Set;

/**
 * What one rank sends in a training step of a plan, from the formulas of the collectives: what
 * {@link dev.tandem.comm.Communicator#traffic} will count.
 *
 * <p>Gradients are counted as one allreduce for each parameter. A synchroniser that sums several at
 * once sends as many bytes in shared memory, and elsewhere but for the rounding of blocks, besides
 * up to 60 bytes of alignment between two gradients of a transfer; what it sends to agree on
 * transfers (24 bytes ahead of each, once they are planned) is not in it. What a step sends besides
 * is {@link StepTraffic}.
 *
 * @param items in the order of the network
 */
public record PlanTraffic(List<Item> items) {

  /** Why something travels. */
  public enum Kind {
    /** What an exchange moves in forward passes. */
    FORWARD,
    /** What an exchange moves in backward passes. */
    BACKWARD,
    /** Sums within normalisations. */
    STATISTICS,
    /** Sums of gradients. */
    GRADIENTS,
    /** Parameters of which ranks keep rows. */
    PARAMETERS
  }

  /** The call by which something travels. */
  public enum Operation {
    /** A message to each of some ranks of a group. */
    EXCHANGE,
    ALLGATHER,
    REDUCE_SCATTER,
    ALLREDUCE,
    /** A message to the rank of the stage before or after. */
    SEND
  }

  /**
   * One call of an operation.
   *
   * @param ranks that take part
   * @param bytes that are reduced, or gathered from or scattered to all ranks together; those that
   *     the rank sends, of messages
   */
  public record Call(Operation operation, TeamPosition ranks, long bytes, Cost cost) {}

  /**
   * What travels for one layer of the rank's network.
   *
   * @param along the axes of the mesh along which the ranks lie; of a {@link Operation#SEND} the
   *     pipeline's
   */
  public record Item(String layer, Kind kind, Set<String> along, Call call) {

    /** What it costs the rank. */
    public Cost cost() {
      return call.cost;
    }
  }

  public PlanTraffic {
    items = List.copyOf(items);
  }

  /**
   * The traffic of a plan.
   *
   * @param network made with the transfers of {@code groups}
   */
  public static PlanTraffic of(LocalNetwork network, PlannedGroups groups, PlannedStep step) {
    return new PlanCounts(network, groups, step.frozen()).traffic(step);
  }

  /** All of it. */
  public Cost total() {
    return sum(items);
  }

  /** All of some kind. */
  public Cost total(Kind kind) {
    return sum(items.stream().filter(item -> item.kind == kind).toList());
  }

  /** All of a layer. */
  public Cost of(String layer) {
    return sum(items.stream().filter(item -> item.layer.equals(layer)).toList());
  }

  private static Cost sum(List<Item> items) {
    Cost sum = new Cost(0, 0);
    for (Item item : items) {
      sum = sum.then(item.cost());
    }
    return sum;
  }
}
