package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.engine.Autograd;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.internal.Graph;
import dev.tandem.nn.internal.LayerHook;
import dev.tandem.nn.internal.Mode;
import dev.tandem.nn.internal.Torch;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A network differentiated by the engine itself, as one graph: what the passes of our layers are
 * compared with.
 */
final class WholeGraph {

  private WholeGraph() {}

  /** Puts the gradients of the mean loss into the network's and returns that loss. */
  static double forwardBackward(Network network, Samples samples, TrainingStep step) {
    NetworkSpec spec = network.spec();
    ScalarType type = ScalarType.of(network.dtype());
    try (Scope _ = new Scope()) {
      List<Tensor> parameters = tensors(network.parameters());
      Graph graph =
          new Graph(
              spec, parameters, tensors(network.buffers()), type, network.frozen(), LayerHook.NONE);
      List<Tensor> leaves = new ArrayList<>();
      List<TensorView> gradients = new ArrayList<>();
      for (int i = 0; i < parameters.size(); i++) {
        if (graph.updates(i)) {
          leaves.add(Autograd.leaf(parameters.get(i)));
          gradients.add(network.gradients().get(i));
        }
      }
      Mode mode = new Mode(true, step.seed(), step.number(), step.firstSample(), samples.count());
      Tensor loss = Autograd.tracked(() -> loss(network, graph, samples, mode, leaves));
      List<Tensor> found = Autograd.gradients(loss, leaves, Tensor.zeros(type).fullLike(1));
      for (int i = 0; i < gradients.size(); i++) {
        TensorView gradient = gradients.get(i);
        Torch.tensor(gradient.data(), gradient.dtype(), gradient.shape()).copy_(found.get(i));
      }
      return loss.item();
    }
  }

  private static Tensor loss(
      Network network, Graph graph, Samples samples, Mode mode, List<Tensor> leaves) {
    NetworkSpec spec = network.spec();
    Map<String, Tensor> values = new HashMap<>();
    Shape batch = Shape.of(extents(samples.count(), spec.input()));
    values.put(
        NetworkSpec.INPUT, Torch.fast(Torch.tensor(samples.inputs(), network.dtype(), batch)));
    for (int node = 0; node < graph.size(); node++) {
      String name = spec.nodes().get(node).name();
      List<Tensor> inputs =
          new ArrayList<>(spec.nodes().get(node).inputs().stream().map(values::get).toList());
      if (!network.frozen().contains(name) && node > 0) {
        // The engine's group normalisation dies if it is not asked for the data's gradient: a sum
        // with a zero that depends on a parameter asks.
        Tensor zero = leaves.getFirst().sum().mul(0);
        inputs.replaceAll(input -> input.add(zero));
      }
      Mode own = network.frozen().contains(name) ? Mode.evaluation(mode.samples()) : mode;
      values.put(name, graph.layer(node).forward(inputs, own).output());
    }
    Loss function = Loss.of(spec.loss());
    Tensor targets =
        function.target() == Loss.Target.LABEL
            ? Torch.tensor(samples.targets(), DType.INT64, samples.count())
            : Torch.tensor(samples.targets(), network.dtype(), samples.count(), spec.classes());
    Tensor total = null;
    for (NetworkSpec.Output output : spec.outputs()) {
      Tensor part = function.meanLoss(values.get(output.layer()), targets).mul(output.weight());
      total = total == null ? part : total.add(part);
    }
    return total;
  }

  private static List<Tensor> tensors(List<TensorView> views) {
    return views.stream()
        .map(view -> Torch.tensor(view.data(), view.dtype(), view.shape()))
        .toList();
  }

  private static long[] extents(int count, Shape sample) {
    long[] extents = new long[sample.extents().size() + 1];
    extents[0] = count;
    System.arraycopy(sample.toArray(), 0, extents, 1, extents.length - 1);
    return extents;
  }
}
