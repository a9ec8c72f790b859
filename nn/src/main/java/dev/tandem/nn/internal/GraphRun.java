package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerPass;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * One batch on its way through a graph, node by node: forward in the order of the nodes, then
 * backward in the other. Used inside a scope of the caller's, which owns the input.
 *
 * <p>The gradient of a node that feeds several others is the sum of theirs in the order in which
 * the backward pass meets them, from the last node to the first.
 */
public final class GraphRun implements AutoCloseable {

  private final Graph graph;
  private final Tensor input;
  private Mode mode;
  private final List<Tensor> parameterGradients;
  private final boolean adds;
  private final boolean recomputes;
  private final Stopwatch watch;
  private final Layer.Pass[] passes;
  private final Tensor[] gradients;

  /** Null on the processor, where each gradient is put into place at once. */
  private final GradientCollector collector;

  /**
   * A run that has not begun.
   *
   * @param parameterGradients where the gradients of all parameters go
   * @param adds whether they are added to what is there
   * @param recomputes whether to keep of the forward pass only what came from other ranks, and to
   *     repeat it before the backward pass
   * @param timer told how long every pass of a layer takes
   */
  public GraphRun(
      Graph graph,
      Tensor input,
      Mode mode,
      List<Tensor> parameterGradients,
      boolean adds,
      boolean recomputes,
      Optional<Stopwatch.Timer> timer) {
    this.graph = graph;
    this.input = input;
    this.mode = mode;
    this.parameterGradients = parameterGradients;
    this.adds = adds;
    this.recomputes = recomputes;
    watch = new Stopwatch(timer, graph);
    passes = new Layer.Pass[graph.size()];
    gradients = new Tensor[graph.size()];
    collector = graph.accelerated() ? new GradientCollector() : null;
  }

  Graph graph() {
    return graph;
  }

  /**
   * The answer of the network, which belongs to the caller's scope, unless it is another rank's to
   * give; frees all else on the way.
   */
  public Optional<Tensor> answer() {
    int last = graph.outputs().isEmpty() ? Graph.INPUT : graph.outputs().getFirst();
    for (int node = 0; node < graph.size(); node++) {
      if (graph.answers(node)) {
        forward(node);
        passes[node] = passes[node].withoutSaved();
        for (int before : graph.inputs(node)) {
          if (before != Graph.INPUT && before != last && graph.isLastUse(node, before)) {
            dropPass(before);
          }
        }
      }
    }
    return last == Graph.INPUT ? Optional.empty() : Optional.of(output(last).alias());
  }

  void forward(int node) {
    watch.begin();
    graph.beforeForward(node);
    try (Scope _ = new Scope()) {
      Mode own = graph.isFrozen(node) ? Mode.evaluation(mode.samples()) : mode;
      Layer layer = graph.layer(node);
      Layer.Pass pass =
          graph.overwrites(node)
              ? layer.forwardOver(inputs(node), own)
              : layer.forward(inputs(node), own);
      passes[node] = pass.keep();
    }
    watch.end(node, LayerPass.FORWARD);
  }

  /** Measures passes of a node that this run and others make together. */
  Stopwatch watch() {
    return watch;
  }

  Mode mode() {
    return mode;
  }

  boolean recomputes() {
    return recomputes;
  }

  /** Lets go of all but what crossed to or from other ranks: the forward pass begins again. */
  void beginAgain() {
    for (int node = 0; node < passes.length; node++) {
      if (!crosses(node)) {
        dropPass(node);
      }
    }
    mode = mode.again();
  }

  /** Whether the forward pass of a node is still to be done. */
  boolean isDue(int node) {
    return passes[node] == null;
  }

  /** Lets go of what no backward pass will ask for, after the forward pass of a node. */
  void forget(int node) {
    boolean forAgain = recomputes && !mode.repeated();
    if (!graph.learns(node) || forAgain) {
      passes[node] = passes[node].withoutSaved();
    }
    for (int before : graph.inputs(node)) {
      if (before == Graph.INPUT || !graph.isLastUse(node, before)) {
        continue;
      }
      if (forAgain) {
        if (!crosses(before) && !graph.outputs().contains(before)) {
          dropPass(before);
        }
      } else if (!graph.keeps(before) && !graph.learns(before)) {
        dropPass(before);
      } else if (!graph.keeps(before)) {
        passes[before] = passes[before].withoutOutput();
      }
    }
  }

  private boolean crosses(int node) {
    return graph.role(node) != Exchange.Role.WITHIN;
  }

  Tensor output(int node) {
    return passes[node].output();
  }

  /** The gradient at a node whose turn it is in the backward pass; null if it has none. */
  Tensor gradient(int node) {
    return gradients[node];
  }

  /** Sets the gradient of the loss at an output node, or adds to it. */
  void gradient(int node, Tensor gradient) {
    try (Scope _ = new Scope()) {
      add(node, gradient);
    }
  }

  /**
   * Takes the gradient through a node and lets go of all that the node kept.
   *
   * @param ready told the numbers of the node's parameters when their gradients are there
   */
  void backward(int node, IntConsumer ready) {
    watch.begin();
    if (graph.learns(node)) {
      graph.beforeBackward(node);
    }
    Layer layer = graph.layer(node);
    Layer.Pass pass = passes[node];
    Tensor gradient = gradients[node];
    GradientSink sink = sink(node);
    try (Scope _ = new Scope()) {
      boolean passesOn =
          graph.returnsGradient(node) || graph.inputs(node).stream().anyMatch(this::takesGradient);
      if (passesOn && graph.isFrozen(node)) {
        addToInputs(node, layer.backwardData(pass, gradient));
        watch.end(node, LayerPass.BACKWARD_DATA);
      } else if (passesOn) {
        backward(node, ready, sink);
      } else if (graph.learns(node)) {
        layer.backwardWeights(pass, gradient, sink);
        watch.end(node, LayerPass.BACKWARD_WEIGHTS);
        tell(node, ready);
      }
    }
    drop(node);
  }

  private void backward(int node, IntConsumer ready, GradientSink sink) {
    Layer layer = graph.layer(node);
    boolean weights = graph.firstParameter(node) < graph.firstParameter(node + 1);
    boolean apart = layer.passesApart();
    Runnable told =
        () -> {
          if (weights) {
            watch.end(node, apart ? LayerPass.BACKWARD_WEIGHTS : LayerPass.BACKWARD);
            tell(node, ready);
            watch.begin();
          }
        };
    addToInputs(node, layer.backward(passes[node], gradients[node], sink, told));
    watch.end(node, weights && !apart ? LayerPass.BACKWARD : LayerPass.BACKWARD_DATA);
  }

  // The same in two halves, for batch normalisation together with other batches.

  Tensor forwardSums(int node) {
    return batchNorm(node).forwardSums(inputs(node).getFirst());
  }

  void forwardTogether(int node, Tensor totals) {
    graph.beforeForward(node);
    try (Scope _ = new Scope()) {
      passes[node] = batchNorm(node).forwardTogether(inputs(node).getFirst(), totals).keep();
    }
  }

  /** Puts the gradients of the parameters into place, too. */
  Tensor backwardSums(int node) {
    graph.beforeBackward(node);
    Tensor sums = batchNorm(node).backwardSums(passes[node], gradients[node]);
    batchNorm(node).putWeights(sums, sink(node));
    return batchNorm(node).overRanks(sums);
  }

  void backwardTogether(int node, Tensor totals) {
    if (takesGradient(graph.inputs(node).getFirst())) {
      try (Scope _ = new Scope()) {
        addToInputs(
            node,
            List.of(batchNorm(node).backwardDataTogether(passes[node], gradients[node], totals)));
      }
    }
    drop(node);
  }

  /** Lets go of all that is still kept. */
  @Override
  public void close() {
    if (collector != null) {
      collector.forget();
    }
    for (int node = 0; node < passes.length; node++) {
      drop(node);
    }
  }

  private BatchNormLayer batchNorm(int node) {
    return (BatchNormLayer) graph.layer(node);
  }

  private boolean takesGradient(int node) {
    return node != Graph.INPUT && graph.learns(node);
  }

  private List<Tensor> inputs(int node) {
    List<Tensor> tensors = new ArrayList<>();
    for (int before : graph.inputs(node)) {
      tensors.add(before == Graph.INPUT ? input : output(before));
    }
    return tensors;
  }

  private GradientSink sink(int node) {
    return new GradientSink(
        parameterGradients.isEmpty()
            ? List.of()
            : parameterGradients.subList(
                graph.firstParameter(node), graph.firstParameter(node + 1)),
        adds,
        collector);
  }

  /** Tells the numbers of a node's parameters. */
  void tell(int node, IntConsumer ready) {
    for (int i = graph.firstParameter(node); i < graph.firstParameter(node + 1); i++) {
      if (collector == null) {
        ready.accept(i);
      } else {
        Tensor gradient = parameterGradients.get(i);
        collector.ready(i, gradient.numel() * gradient.type().bytes());
      }
    }
    if (collector != null) {
      collector.flushIfEnough(ready);
    }
  }

  /** The backward pass is done: what is still waiting becomes ready. */
  void finish(IntConsumer ready) {
    if (collector != null) {
      collector.flush(ready);
    }
  }

  private void addToInputs(int node, List<Tensor> inputGradients) {
    List<Integer> before = graph.inputs(node);
    for (int i = 0; i < before.size(); i++) {
      if (takesGradient(before.get(i))) {
        add(before.get(i), inputGradients.get(i));
      }
    }
  }

  private void add(int node, Tensor gradient) {
    Tensor known = gradients[node];
    gradients[node] = (known == null ? gradient : known.add(gradient)).retain();
    if (known != null) {
      known.release();
    }
  }

  private void dropPass(int node) {
    Layer.Pass pass = passes[node];
    if (pass != null) {
      passes[node] = null;
      pass.release();
    }
  }

  private void drop(int node) {
    dropPass(node);
    Tensor gradient = gradients[node];
    if (gradient != null) {
      gradients[node] = null;
      gradient.release();
    }
  }
}
