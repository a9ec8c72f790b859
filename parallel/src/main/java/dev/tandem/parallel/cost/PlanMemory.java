package dev.tandem.parallel.cost;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.shard.ShardedBytes;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The bytes that a rank needs for its part of a network, as far as tensors go: what {@link
 * dev.tandem.nn.Engine#memory} counts at most in a training step. What single kernels need for
 * themselves is not in it, nor are batches in the caller's memory and buffers of communication.
 *
 * <p>Convolutions are taken to run with one thread for each operation, on a processor like this
 * one: others may have kernels that need less.
 *
 * @param parameters with buffers, and with room for whole parameters where only rows are kept
 * @param gradients likewise
 * @param state what the optimizer keeps
 * @param activations by layer of the rank's network, and of the input where the engine has it in
 *     another order or type: outputs, and what else is kept until the backward pass (indices,
 *     masks, shares of attention, weights in the engine's order), of all passes that are open at
 *     once
 * @param underWay the most that is there beside them: gradients of activations, and what layers and
 *     the optimizer make in between
 * @param exchange what is packed to be sent, and what arrives
 */
public record PlanMemory(
    long parameters,
    long gradients,
    long state,
    Map<String, Long> activations,
    long underWay,
    long exchange) {

  public PlanMemory {
    activations = Collections.unmodifiableMap(new LinkedHashMap<>(activations));
  }

  /**
   * The memory of a plan.
   *
   * @param stateValues numbers that the optimizer keeps for each parameter
   * @param openPasses passes whose activations are there at once: 1, or more in a pipeline
   */
  public static PlanMemory of(
      LocalNetwork network,
      PlannedGroups groups,
      PlannedStep step,
      int stateValues,
      int openPasses) {
    Mesh mesh = groups.mesh();
    return of(
        network,
        step,
        mesh.size(Mesh.DATA),
        mesh.coordinate(groups.rank(), Mesh.DATA),
        stateValues,
        openPasses);
  }

  /** The same for one of the ranks along {@code data}. */
  static PlanMemory of(
      LocalNetwork network,
      PlannedStep step,
      int data,
      int coordinate,
      int stateValues,
      int openPasses) {
    ShardedBytes held =
        ShardedBytes.of(network.spec(), step.parameters(), step.shard(), data, coordinate);
    PassMemory pass = new PassMemory(network, step);
    Map<String, Long> activations = new LinkedHashMap<>();
    pass.held().forEach((layer, bytes) -> activations.put(layer, openPasses * bytes));
    long once = pass.held().values().stream().mapToLong(Long::longValue).sum();
    // Between steps there are no activations, but what Adam and its like make of a tensor's state.
    long updating = stateValues > 1 ? held.largest() - openPasses * once : 0;
    return new PlanMemory(
        held.parameters() + buffers(network.spec(), step.parameters()),
        held.gradients(),
        stateValues * held.updated(),
        activations,
        Math.max(pass.peak() - once, updating),
        exchange(network, step));
  }

  private static long buffers(NetworkSpec network, DType type) {
    return network.buffers().stream()
        .mapToLong(each -> Math.ceilDiv(each.shape().elements() * type.bytes(), 64L) * 64)
        .sum();
  }

  /** The same with gradients of their own for each of so many passes. */
  public PlanMemory withGradients(int passes) {
    return new PlanMemory(parameters, passes * gradients, state, activations, underWay, exchange);
  }

  /** What stays between the passes, of all layers. */
  public long activationBytes() {
    return activations.values().stream().mapToLong(Long::longValue).sum();
  }

  /** All of it. */
  public long total() {
    return parameters + gradients + state + activationBytes() + underWay + exchange;
  }

  /** Memory for both directions is kept and grows to what is needed. */
  private static long exchange(LocalNetwork network, PlannedStep step) {
    long samples = step.passes().stream().mapToLong(PlannedStep.Pass::samples).max().orElse(0);
    Map<String, Shape> shapes = network.spec().shapes();
    long outgoing = 0;
    long incoming = 0;
    for (Node node : network.spec().nodes()) {
      if (node.layer() instanceof Exchange exchange) {
        int own = exchange.transfer().rank();
        Shape after = exchange.shape();
        Shape before = node.inputs().isEmpty() ? after : shapes.get(node.inputs().getFirst());
        MovementCost forward =
            new MovementCost(exchange.forward(), before, samples, step.activations());
        MovementCost backward =
            new MovementCost(exchange.backward(), after, samples, step.activations());
        outgoing =
            Math.max(outgoing, Math.max(forward.outgoingBytes(own), backward.outgoingBytes(own)));
        incoming =
            Math.max(
                incoming,
                Math.max(forward.incomingBytes(own, after), backward.incomingBytes(own, before)));
      }
    }
    return outgoing + incoming;
  }
}
