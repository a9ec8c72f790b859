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
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The requests of a training step, from the network's own graph: every gradient, and for layers
 * whose statistics are summed over all ranks (synchronised batch normalisation) one request in the
 * forward pass and one in the backward pass, which the pass waits for.
 *
 * <p>Note [one thread waits]: the thread that computes waits for statistics, and what it has not
 * computed yet, also in other branches of the network, is requested only then. So with statistics
 * every layer depends on the one before it in the order of the passes.
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
  private final Map<String, List<GradientGraph.Parameter>> parameters = new HashMap<>();
  private final boolean waits;
  // What the thread that computes did last.
  private int last;

  private TrainingGraph(
      GradientGraph network, Predicate<GradientGraph.Node> synchronised, GradientRule rule) {
    this.network = network;
    this.synchronised = synchronised;
    this.rule = rule;
    waits = network.nodes().stream().anyMatch(synchronised);
    for (GradientGraph.Parameter parameter : network.parameters()) {
      parameters.computeIfAbsent(parameter.node(), name -> new ArrayList<>()).add(parameter);
    }
  }

  /** A step whose only requests are gradients. */
  public static RequestGraph of(GradientGraph network) {
    return of(network, GradientRule.SUM);
  }

  /** The same with gradients that are treated as the rule says. */
  public static RequestGraph of(GradientGraph network, GradientRule rule) {
    return new TrainingGraph(network, node -> false, rule).build(1);
  }

  /**
   * A step with synchronised batch normalisation in all layers that normalise batches and learn.
   *
   * @param passes in which gradients are accumulated; only the last one requests them
   */
  public static RequestGraph withStatistics(GradientGraph network, GradientRule rule, int passes) {
    Set<String> learning =
        network.parameters().stream()
            .map(GradientGraph.Parameter::node)
            .collect(Collectors.toSet());
    return new TrainingGraph(
            network,
            node -> node.kind().equals(NORMALISATION) && learning.contains(node.name()),
            rule)
        .build(passes);
  }

  /** The name of the request for a layer's sums in the forward pass, the first of them 0. */
  public static String forwardStatistics(String layer, int pass) {
    return "%s/forward statistics %d".formatted(layer, pass);
  }

  /** The name of the request for a layer's sums in the backward pass. */
  public static String backwardStatistics(String layer, int pass) {
    return "%s/backward statistics %d".formatted(layer, pass);
  }

  private RequestGraph build(int passes) {
    last = graph.node();
    outputs.put(GradientGraph.INPUT, last);
    for (int i = 0; i < passes; i++) {
      int pass = i;
      network.nodes().forEach(node -> forward(node, pass));
      int loss = graph.node();
      network.nodes().forEach(node -> graph.edge(outputs.get(node.name()), loss));
      last = loss;
      gradientsBehind.clear();
      for (GradientGraph.Node node : network.nodes().reversed()) {
        backward(node, loss, pass, pass == passes - 1);
      }
    }
    return graph.build();
  }

  /** A node that the thread that computes comes to next; see Note [one thread waits]. */
  private int next() {
    int node = graph.node();
    if (waits) {
      graph.edge(last, node);
      last = node;
    }
    return node;
  }

  private void forward(GradientGraph.Node node, int pass) {
    int computes = next();
    node.inputs().forEach(input -> graph.edge(outputs.get(input), computes));
    if (!synchronised.test(node)) {
      outputs.put(node.name(), computes);
      return;
    }
    // The number of elements, then for each channel a sum and a sum of squares.
    int sums = statistics(forwardStatistics(node.name(), pass), 1 + 2 * channels(node));
    int normalises = next();
    graph.edge(computes, sums);
    graph.edge(sums, normalises);
    outputs.put(node.name(), normalises);
  }

  private void backward(GradientGraph.Node node, int loss, int pass, boolean lastPass) {
    int weights = next();
    graph.edge(loss, weights);
    for (int behind : gradientsBehind.getOrDefault(node.name(), List.of())) {
      graph.edge(behind, weights);
    }
    int data = weights;
    if (synchronised.test(node)) {
      // Before the gradients that are ready at the same time: these nobody waits for.
      int sums = statistics(backwardStatistics(node.name(), pass), 2 * channels(node));
      graph.edge(weights, sums);
      data = next();
      graph.edge(sums, data);
    }
    if (lastPass) {
      requestGradients(node, weights);
    }
    for (String input : node.inputs()) {
      gradientsBehind.computeIfAbsent(input, name -> new ArrayList<>()).add(data);
    }
  }

  private void requestGradients(GradientGraph.Node node, int weights) {
    for (GradientGraph.Parameter parameter : parameters.getOrDefault(node.name(), List.of())) {
      graph.edge(
          weights,
          graph.request(
              parameter.name(),
              rule.signature(parameter.name(), parameter.dtype(), parameter.shape())));
    }
  }

  private int statistics(String name, long elements) {
    return graph.request(name, Signature.sum(DType.FLOAT64, Shape.of(elements)));
  }

  private static long channels(GradientGraph.Node node) {
    return node.output().extents().getFirst();
  }
}
