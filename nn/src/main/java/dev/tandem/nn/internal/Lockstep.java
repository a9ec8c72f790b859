package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerPass;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Several batches of one step, each with kernel calls of its own, node by node: so they can meet in
 * batch normalisations, and the bits do not depend on which rank has how many of them.
 */
public final class Lockstep {

  /** Told that the gradient of a parameter by one of the runs is ready. */
  public interface Ready {
    void gradient(int run, int parameter);
  }

  /** Sums rows of float64 over the runs, and over other ranks if there are any. */
  public interface Reduction {
    void sum(String layer, List<MemorySegment> parts, MemorySegment total);
  }

  /** Shown the output of each node and the gradient by it, as they are in the engine. */
  public interface Observer {
    void output(int run, String node, Tensor values);

    void gradient(int run, String node, Tensor values);
  }

  private final List<GraphRun> runs;
  private final Graph graph;
  private final Reduction reduction;
  private final Optional<Observer> observer;

  /**
   * Runs over one graph.
   *
   * @param reduction of the statistics of batch normalisations, or null: each run has its own
   */
  public Lockstep(List<GraphRun> runs, Reduction reduction, Optional<Observer> observer) {
    this.runs = List.copyOf(runs);
    graph = runs.getFirst().graph();
    this.reduction = reduction;
    this.observer = observer;
  }

  /** All runs from the input to the outputs. */
  public void forward() {
    for (int node = 0; node < graph.size(); node++) {
      forward(node);
      boolean shown = observer.isPresent() && graph.role(node) != Exchange.Role.SEND;
      for (int i = 0; i < runs.size() && shown; i++) {
        observer.get().output(i, graph.name(node), runs.get(i).output(node));
      }
    }
  }

  private void forward(int node) {
    if (meets(node)) {
      forwardTogether(node);
    } else {
      runs.forEach(run -> run.forward(node));
    }
    runs.forEach(run -> run.forget(node));
  }

  /** The forward pass again, up to what other ranks have sent and got. */
  private void recompute() {
    runs.forEach(GraphRun::beginAgain);
    for (int node = 0; node < graph.size(); node++) {
      if (runs.getFirst().isDue(node)) {
        forward(node);
      }
    }
  }

  /** The values of an output of a run; valid until its backward pass. */
  public Tensor output(int run, int output) {
    return runs.get(run).output(graph.outputs().get(output));
  }

  /** Sets the gradient of an output of a run. */
  public void gradient(int run, int output, Tensor gradient) {
    runs.get(run).gradient(graph.outputs().get(output), gradient);
  }

  /** All runs from the outputs back to the input. */
  public void backward(Ready ready) {
    if (runs.getFirst().recomputes()) {
      recompute();
    }
    for (int node = graph.size() - 1; node >= 0; node--) {
      for (int i = 0; i < runs.size() && observer.isPresent(); i++) {
        if (runs.get(i).gradient(node) != null) {
          observer.get().gradient(i, graph.name(node), runs.get(i).gradient(node));
        }
      }
      if (meets(node)) {
        backwardTogether(node, ready);
      } else {
        for (int i = 0; i < runs.size(); i++) {
          int run = i;
          runs.get(run).backward(node, parameter -> ready.gradient(run, parameter));
        }
      }
    }
    for (int i = 0; i < runs.size(); i++) {
      int run = i;
      runs.get(run).finish(parameter -> ready.gradient(run, parameter));
    }
  }

  private boolean meets(int node) {
    return reduction != null
        && graph.layer(node) instanceof BatchNormLayer
        && !graph.isFrozen(node);
  }

  private void forwardTogether(int node) {
    Stopwatch watch = runs.getFirst().watch();
    watch.begin();
    try (Scope _ = new Scope()) {
      List<Tensor> parts = new ArrayList<>();
      for (GraphRun run : runs) {
        parts.add(run.forwardSums(node));
      }
      Tensor totals = total(node, parts);
      ((BatchNormLayer) graph.layer(node)).remember(totals, runs.getFirst().mode());
      for (GraphRun run : runs) {
        run.forwardTogether(node, totals);
      }
    }
    watch.end(node, LayerPass.FORWARD);
  }

  private void backwardTogether(int node, Ready ready) {
    Stopwatch watch = runs.getFirst().watch();
    watch.begin();
    try (Scope _ = new Scope()) {
      List<Tensor> parts = new ArrayList<>();
      for (int i = 0; i < runs.size(); i++) {
        int run = i;
        parts.add(runs.get(run).backwardSums(node));
      }
      watch.end(node, LayerPass.BACKWARD);
      for (int i = 0; i < runs.size(); i++) {
        int run = i;
        runs.get(run).tell(node, parameter -> ready.gradient(run, parameter));
      }
      watch.begin();
      Tensor totals = total(node, parts);
      for (GraphRun run : runs) {
        run.backwardTogether(node, totals);
      }
    }
    watch.end(node, LayerPass.BACKWARD);
  }

  private Tensor total(int node, List<Tensor> parts) {
    List<Tensor> there = parts.stream().map(Tensor::onHost).toList();
    Tensor total = there.getFirst().zerosLike();
    List<MemorySegment> rows = there.stream().map(Tensor::memory).toList();
    graph.transferTime().during(() -> reduction.sum(graph.name(node), rows, total.memory()));
    return total.onDevice();
  }
}
