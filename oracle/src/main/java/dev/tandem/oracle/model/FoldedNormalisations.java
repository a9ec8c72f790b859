package dev.tandem.oracle.model;

import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.nn.spec.NetworkSpec.Output;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts back the batch normalisations that exporters fold into the convolutions before them: the
 * network that is trained has them, and they cost time, memory and messages.
 */
final class FoldedNormalisations {

  private FoldedNormalisations() {}

  /**
   * The network as it was before it was written for inference.
   *
   * @param folded convolutions with a normalisation in them; the bias that they have is its
   */
  static NetworkSpec unfold(NetworkSpec network, Set<String> folded) {
    Map<String, String> renamed = new HashMap<>();
    List<Node> nodes = new ArrayList<>();
    Set<String> taken = network.shapes().keySet();
    for (Node node : network.nodes()) {
      List<String> inputs = node.inputs().stream().map(n -> renamed.getOrDefault(n, n)).toList();
      if (folded.contains(node.name()) && node.layer() instanceof Convolution convolution) {
        nodes.add(new Node(convolution.withoutBias(), inputs));
        String norm = node.name() + ".bn";
        while (taken.contains(norm)) {
          norm += "_";
        }
        nodes.add(new Node(new BatchNorm(norm), List.of(node.name())));
        renamed.put(node.name(), norm);
      } else {
        nodes.add(new Node(node.layer(), inputs));
      }
    }
    List<Output> outputs =
        network.outputs().stream()
            .map(o -> new Output(renamed.getOrDefault(o.layer(), o.layer()), o.weight()))
            .toList();
    return new NetworkSpec(network.input(), nodes, outputs, network.loss());
  }
}
