package dev.tandem.core;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The gradients that a backward pass makes, and when: what a synchroniser must know of a network,
 * without the engine that computes it.
 *
 * @param nodes the layers in the order of the forward pass; the backward pass goes the other way
 * @param parameters in the order in which their gradients become ready
 */
public record GradientGraph(List<Node> nodes, List<Parameter> parameters) {

  /** The name under which nodes refer to the network's input. */
  public static final String INPUT = "input";

  /**
   * One layer.
   *
   * @param kind what kind of layer, for people
   * @param inputs names of the nodes before it, or {@link #INPUT}
   * @param output the shape of one sample after it
   */
  public record Node(String name, String kind, List<String> inputs, Shape output) {

    public Node {
      inputs = List.copyOf(inputs);
    }
  }

  /**
   * One parameter, whose gradient has its type and shape.
   *
   * @param node the layer that it belongs to; its gradient is ready when the backward pass is
   *     through with that layer's weights
   */
  public record Parameter(String name, String node, DType dtype, Shape shape) {

    /** Bytes of the parameter and of its gradient. */
    public long bytes() {
      return Math.multiplyExact(shape.elements(), dtype.bytes());
    }
  }

  public GradientGraph {
    nodes = List.copyOf(nodes);
    parameters = List.copyOf(parameters);
    Set<String> known = new HashSet<>();
    known.add(INPUT);
    for (Node node : nodes) {
      for (String input : node.inputs()) {
        if (!known.contains(input)) {
          throw new IllegalArgumentException(
              "node %s: its input %s does not come before it".formatted(node.name(), input));
        }
      }
      if (!known.add(node.name())) {
        throw new IllegalArgumentException("two nodes are named " + node.name());
      }
    }
    Set<String> names = new HashSet<>();
    for (Parameter parameter : parameters) {
      if (!known.contains(parameter.node()) || !names.add(parameter.name())) {
        throw new IllegalArgumentException(
            "parameter %s of node %s: an unknown node or a second parameter of that name"
                .formatted(parameter.name(), parameter.node()));
      }
    }
  }

  /** Bytes of all gradients. */
  public long bytes() {
    return parameters.stream().mapToLong(Parameter::bytes).sum();
  }
}
