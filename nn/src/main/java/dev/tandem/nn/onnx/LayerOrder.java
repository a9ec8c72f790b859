package dev.tandem.nn.onnx;

import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An order of layers that does not depend on the exporter, so that the same network trains and
 * splits alike whoever wrote it: branch by branch, in the order of a layer's inputs, but of a sum
 * the shortest first, as the shortcuts of Tandem's own networks.
 */
final class LayerOrder {

  private LayerOrder() {}

  /**
   * The same layers, each after its inputs.
   *
   * @param nodes in an order in which each is after its inputs
   * @param last the layer that all lead to
   */
  static List<Node> of(List<Node> nodes, String last) {
    Map<String, Node> byName = new LinkedHashMap<>();
    Map<String, Integer> depths = new HashMap<>();
    for (Node node : nodes) {
      byName.put(node.name(), node);
      int before = node.inputs().stream().mapToInt(n -> depths.getOrDefault(n, 0)).max().orElse(0);
      depths.put(node.name(), before + 1);
    }
    List<Node> ordered = new ArrayList<>();
    Set<String> done = new HashSet<>(Set.of(NetworkSpec.INPUT));
    Deque<String> open = new ArrayDeque<>(List.of(last));
    while (!open.isEmpty()) {
      Node node = byName.get(open.peek());
      if (node == null || done.contains(node.name())) {
        open.pop();
        continue;
      }
      List<String> missing = node.inputs().stream().filter(name -> !done.contains(name)).toList();
      if (missing.isEmpty()) {
        open.pop();
        done.add(node.name());
        ordered.add(node);
      } else {
        open.push(
            node.layer() instanceof Add
                ? missing.stream().min(Comparator.comparing(depths::get)).get()
                : missing.getFirst());
      }
    }
    return ordered;
  }
}
