package dev.tandem.nn.internal;

import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * A network differentiated by the engine itself, as one graph: the same parameters in memory, seen
 * by tensors that the engine keeps track of. All gradients are there at the end, at once.
 */
public final class WholeGraph implements AutoCloseable {

  private final Graph graph;
  private final List<Tensor> leaves = new ArrayList<>();
  private final List<Integer> learning = new ArrayList<>();
  private final LossFunction loss;

  /** A second view of a network's parameters; the buffers are those of the network. */
  public WholeGraph(
      NetworkSpec spec,
      List<TensorView> parameters,
      List<Tensor> buffers,
      ScalarType computing,
      Set<String> frozen) {
    this(spec, parameters, buffers, computing, frozen, (_, layer) -> layer);
  }

  /** As above, with something put around each layer: tests watch passes so. */
  WholeGraph(
      NetworkSpec spec,
      List<TensorView> parameters,
      List<Tensor> buffers,
      ScalarType computing,
      Set<String> frozen,
      BiFunction<String, Layer, Layer> around) {
    for (TensorView view : parameters) {
      leaves.add(Torch.tensor(view.data(), view.dtype(), view.shape()).retainReference());
    }
    graph = new Graph(spec, leaves, buffers, computing, frozen, around);
    for (int i = 0; i < leaves.size(); i++) {
      if (graph.updates(i)) {
        leaves.get(i).set_requires_grad(true);
        learning.add(i);
      }
    }
    loss = LossFunction.of(spec.loss());
  }

  /**
   * Puts the gradients of the mean loss into the sink and tells that loss.
   *
   * @param share what the gradients are multiplied with
   */
  public double forwardBackward(
      Tensor input, Tensor targets, Mode mode, GradientSink sink, double share) {
    List<Tensor> values = new ArrayList<>();
    List<Tensor> wanted = new ArrayList<>(learning.stream().map(leaves::get).toList());
    for (int node = 0; node < graph.size(); node++) {
      List<Tensor> inputs = new ArrayList<>();
      for (int before : graph.inputs(node)) {
        inputs.add(before == Graph.INPUT ? input : values.get(before));
      }
      if (graph.spec().nodes().get(node).layer() instanceof GroupNorm
          && !graph.isFrozen(node)
          && !inputs.getFirst().requires_grad()) {
        // The engine's kernel dies if it is not asked for the data's gradient: ask, and forget it.
        Tensor asked = inputs.getFirst().detach().set_requires_grad(true);
        inputs.set(0, asked);
        wanted.add(asked);
      }
      Mode own = graph.isFrozen(node) ? Mode.EVALUATION : mode;
      values.add(graph.layer(node).forward(inputs, own).output());
    }
    Tensor total = null;
    for (int i = 0; i < graph.outputs().size(); i++) {
      Tensor part = loss.meanLoss(values.get(graph.outputs().get(i)), targets);
      double weight = graph.spec().outputs().get(i).weight();
      Tensor weighted = weight == 1 ? part : part.mul(new Scalar(weight));
      total = total == null ? weighted : total.add(weighted);
    }
    TensorVector gradients =
        torch.grad(
            new TensorVector(share == 1 ? total : total.mul(new Scalar(share))),
            new TensorVector(wanted.toArray(Tensor[]::new)),
            new TensorVector(),
            new BoolOptional(false),
            false,
            false);
    for (int i = 0; i < learning.size(); i++) {
      sink.put(learning.get(i), gradients.get(i));
    }
    return total.item_double();
  }

  @Override
  public void close() {
    graph.close();
    leaves.forEach(Tensor::releaseReference);
  }
}
