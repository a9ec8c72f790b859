package dev.tandem.sync.plan;

import dev.tandem.core.DType;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.Shape;
import dev.tandem.sync.request.GradientRule;
import dev.tandem.sync.request.Signature;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The requests of a training step, from the network's own graph: every gradient, and for layers
 * whose statistics are summed over all ranks (synchronised batch normalisation) one request in the
 * forward pass and one in the backward pass, which the pass waits for.
 */
public final class TrainingGraph {

  /** The kind of layer that may have statistics. */
  private static final String NORMALISATION = "batch-norm";

  private final GradientGraph network;
  private final Predicate<GradientGraph.Node> synchronised;
  private final GradientRule rule;
  private final RequestGraph.Builder graph = new RequestGraph.Builder();
  private final Map<String, Integer> outputs = new HashMap<>();
  // By layer: what the backward pass of its consumers leaves behind.
  private final Map<String, List<Integer>> gradientsBehind = new HashMap<>();

  private TrainingGraph(
      GradientGraph network, Predicate<GradientGraph.Node> synchronised, GradientRule rule) {
    this.network = network;
    this.synchronised = synchronised;
    this.rule = rule;
  }

  /** A step whose only requests are gradients. */
  public static RequestGraph of(GradientGraph network) {
    return of(network, GradientRule.SUM);
  }

  /** The same with gradients that are treated as the rule says. */
  public static RequestGraph of(GradientGraph network, GradientRule rule) {
    return new TrainingGraph(network, node -> false, rule).build();
  }

  /** A step with synchronised batch normalisation in all layers that normalise batches. */
  public static RequestGraph withStatistics(GradientGraph network) {
    return new TrainingGraph(network, node -> node.kind().equals(NORMALISATION), GradientRule.SUM)
        .build();
  }

  /** The name of the request for a layer's sums in the forward pass. */
  public static String forwardStatistics(String layer) {
    return layer + "/forward statistics";
  }

  /** The name of the request for a layer's sums in the backward pass. */
  public static String backwardStatistics(String layer) {
    return layer + "/backward statistics";
  }

  private RequestGraph build() {
    int start = graph.node();
    outputs.put(GradientGraph.INPUT, start);
    network.nodes().forEach(this::forward);
    int loss = graph.node();
    network.nodes().forEach(node -> graph.edge(outputs.get(node.name()), loss));
    Map<String, List<GradientGraph.Parameter>> parameters = new HashMap<>();
    for (GradientGraph.Parameter parameter : network.parameters()) {
      parameters.computeIfAbsent(parameter.node(), name -> new ArrayList<>()).add(parameter);
    }
    for (GradientGraph.Node node : network.nodes().reversed()) {
      backward(node, loss, parameters.getOrDefault(node.name(), List.of()));
    }
    return graph.build();
  }

  private void forward(GradientGraph.Node node) {
    int computes = graph.node();
    node.inputs().forEach(input -> graph.edge(outputs.get(input), computes));
    if (!synchronised.test(node)) {
      outputs.put(node.name(), computes);
      return;
    }
    // The number of elements, then for each channel a sum and a sum of squares.
    int sums = statistics(forwardStatistics(node.name()), 1 + 2 * channels(node));
    int normalises = graph.node();
    graph.edge(computes, sums);
    graph.edge(sums, normalises);
    outputs.put(node.name(), normalises);
  }

  private void backward(
      GradientGraph.Node node, int loss, List<GradientGraph.Parameter> parameters) {
    int weights = graph.node();
    graph.edge(loss, weights);
    for (int behind : gradientsBehind.getOrDefault(node.name(), List.of())) {
      graph.edge(behind, weights);
    }
    for (GradientGraph.Parameter parameter : parameters) {
      graph.edge(
          weights,
          graph.request(
              parameter.name(),
              rule.signature(parameter.name(), parameter.dtype(), parameter.shape())));
    }
    int data = weights;
    if (synchronised.test(node)) {
      int sums = statistics(backwardStatistics(node.name()), 2 * channels(node));
      graph.edge(weights, sums);
      data = graph.node();
      graph.edge(sums, data);
    }
    for (String input : node.inputs()) {
      gradientsBehind.computeIfAbsent(input, name -> new ArrayList<>()).add(data);
    }
  }

  private int statistics(String name, long elements) {
    return graph.request(name, Signature.sum(DType.FLOAT64, Shape.of(elements)));
  }

  private static long channels(GradientGraph.Node node) {
    return node.output().extents().getFirst();
  }
}
