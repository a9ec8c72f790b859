package dev.tandem.oracle.model;

import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Networks as exporters leave them. */
final class TestNetworks {

  private TestNetworks() {}

  /** Without batch normalisations: their convolutions have biases. */
  static NetworkSpec folded(NetworkSpec network) {
    Map<String, String> renamed = new HashMap<>();
    List<Node> nodes = new ArrayList<>();
    for (Node node : network.nodes()) {
      List<String> inputs = node.inputs().stream().map(n -> renamed.getOrDefault(n, n)).toList();
      switch (node.layer()) {
        case BatchNorm norm -> renamed.put(norm.name(), inputs.getFirst());
        case Convolution c ->
            nodes.add(
                new Node(
                    new Convolution(c.name(), c.filters(), c.window(), c.groups(), true), inputs));
        default -> nodes.add(new Node(node.layer(), inputs));
      }
    }
    return new NetworkSpec(network.input(), nodes, network.outputs(), network.loss());
  }

  static Set<String> convolutions(NetworkSpec network) {
    return network.nodes().stream()
        .filter(node -> node.layer() instanceof Convolution)
        .map(Node::name)
        .collect(Collectors.toSet());
  }
}
