package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** The layers of a network in the engine, and who feeds whom; it borrows all tensors. */
public final class Graph implements AutoCloseable {

  /** The number that stands for the network's input among the numbers of nodes. */
  static final int INPUT = -1;

  private final NetworkSpec spec;
  private final List<Layer> layers = new ArrayList<>();
  private final List<List<Integer>> inputs = new ArrayList<>();
  private final int[] firstParameter;
  private final boolean[] learns;
  private final boolean[] answers;
  private final int[] lastUse;
  private final List<Integer> outputs;

  /**
   * A graph with these parameters and buffers, in the order of the spec.
   *
   * @param computing the type of activations
   */
  public Graph(
      NetworkSpec spec, List<Tensor> parameters, List<Tensor> buffers, ScalarType computing) {
    this.spec = spec;
    int size = spec.nodes().size();
    firstParameter = new int[size + 1];
    learns = new boolean[size];
    answers = new boolean[size];
    lastUse = new int[size];
    Map<String, Integer> numbers = new HashMap<>();
    numbers.put(NetworkSpec.INPUT, INPUT);
    List<List<Shape>> shapes = spec.layerInputs();
    int firstBuffer = 0;
    for (int i = 0; i < size; i++) {
      NetworkSpec.Node node = spec.nodes().get(i);
      int ownParameters = node.layer().parameters(shapes.get(i)).size();
      int ownBuffers = node.layer().buffers(shapes.get(i)).size();
      firstParameter[i + 1] = firstParameter[i] + ownParameters;
      layers.add(
          Layers.of(
              node.layer(),
              shapes.get(i),
              new LayerTensors(
                  parameters.subList(firstParameter[i], firstParameter[i + 1]),
                  buffers.subList(firstBuffer, firstBuffer + ownBuffers),
                  computing)));
      firstBuffer += ownBuffers;
      inputs.add(node.inputs().stream().map(numbers::get).toList());
      numbers.put(node.name(), i);
      learns[i] = ownParameters > 0;
      for (int input : inputs.get(i)) {
        learns[i] |= input != INPUT && learns[input];
        if (input != INPUT) {
          lastUse[input] = i;
        }
      }
    }
    outputs = spec.outputs().stream().map(output -> numbers.get(output.layer())).toList();
    markAnswers();
  }

  private void markAnswers() {
    answers[outputs.getFirst()] = true;
    for (int i = size() - 1; i >= 0; i--) {
      if (answers[i]) {
        inputs.get(i).stream().filter(input -> input != INPUT).forEach(in -> answers[in] = true);
      }
    }
  }

  public int size() {
    return layers.size();
  }

  public NetworkSpec spec() {
    return spec;
  }

  public Layer layer(int node) {
    return layers.get(node);
  }

  String name(int node) {
    return spec.nodes().get(node).name();
  }

  List<Integer> inputs(int node) {
    return inputs.get(node);
  }

  /** The nodes whose outputs are compared with the targets, the answer first. */
  List<Integer> outputs() {
    return outputs;
  }

  /** The place of a node's first parameter among all; that of the next node ends them. */
  int firstParameter(int node) {
    return firstParameter[node];
  }

  /** Whether gradients are needed behind this node: it has parameters, or one before it has. */
  boolean learns(int node) {
    return learns[node];
  }

  /** Whether the network's answer depends on this node. */
  boolean answers(int node) {
    return answers[node];
  }

  /** Whether this node is the last that takes the output of the other. */
  boolean isLastUse(int node, int input) {
    return lastUse[input] == node;
  }

  @Override
  public void close() {
    layers.forEach(Layer::close);
  }
}
