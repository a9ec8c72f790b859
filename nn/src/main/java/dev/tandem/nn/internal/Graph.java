package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.engine.Libtorch;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.KeptOutputs;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.IntConsumer;

/** The layers of a network in the engine, and who feeds whom; it borrows all tensors. */
public final class Graph implements AutoCloseable {

  /** The number that stands for the network's input among the numbers of nodes. */
  static final int INPUT = -1;

  private final NetworkSpec spec;
  private final boolean accelerated;
  private final Workspace workspace = new Workspace();
  private final TransferTime transferTime = new TransferTime();
  private final List<Layer> layers = new ArrayList<>();
  private final List<List<Integer>> inputs = new ArrayList<>();
  private final int[] firstParameter;
  private final boolean[] frozen;
  private final BitSet frozenParameters = new BitSet();
  private final boolean[] learns;
  private final boolean[] keeps;
  private final boolean[] answers;
  private final boolean[] overwrites;
  private final int[] lastUse;
  private final List<Integer> outputs;
  private final LayerHook hook;

  /**
   * A graph with these parameters and buffers on the processor, in the order of the spec.
   *
   * @param computing the type of activations
   * @param frozenLayers names of the layers that do not learn
   */
  public Graph(
      NetworkSpec spec,
      List<Tensor> parameters,
      List<Tensor> buffers,
      ScalarType computing,
      Set<String> frozenLayers,
      LayerHook hook) {
    this(spec, parameters, buffers, computing, frozenLayers, hook, (_, layer) -> layer);
  }

  /**
   * The same on a device.
   *
   * @param converted the parameters in the type of activations, if something keeps such copies
   */
  public Graph(
      NetworkSpec spec,
      List<Tensor> parameters,
      List<Tensor> buffers,
      List<Tensor> converted,
      ScalarType computing,
      Set<String> frozenLayers) {
    this(
        spec,
        new Values(parameters, buffers, converted, true),
        computing,
        frozenLayers,
        LayerHook.NONE,
        (_, layer) -> layer);
  }

  /** What layers compute with. */
  private record Values(
      List<Tensor> parameters, List<Tensor> buffers, List<Tensor> converted, boolean accelerated) {}

  /** As above, with something put around each layer by its name: tests watch passes so. */
  Graph(
      NetworkSpec spec,
      List<Tensor> parameters,
      List<Tensor> buffers,
      ScalarType computing,
      Set<String> frozenLayers,
      LayerHook hook,
      BiFunction<String, Layer, Layer> around) {
    this(
        spec,
        new Values(parameters, buffers, List.of(), false),
        computing,
        frozenLayers,
        hook,
        around);
  }

  private Graph(
      NetworkSpec spec,
      Values values,
      ScalarType computing,
      Set<String> frozenLayers,
      LayerHook hook,
      BiFunction<String, Layer, Layer> around) {
    accelerated = values.accelerated;
    this.spec = spec;
    this.hook = hook;
    int size = spec.nodes().size();
    firstParameter = new int[size + 1];
    frozen = new boolean[size];
    learns = new boolean[size];
    keeps = new boolean[size];
    answers = new boolean[size];
    overwrites = new boolean[size];
    lastUse = new int[size];
    Map<String, Integer> numbers = new HashMap<>();
    numbers.put(NetworkSpec.INPUT, INPUT);
    KeptOutputs kept = new KeptOutputs(spec, frozenLayers);
    List<List<Shape>> shapes = spec.layerInputs();
    int firstBuffer = 0;
    for (int i = 0; i < size; i++) {
      NetworkSpec.Node node = spec.nodes().get(i);
      int ownParameters = node.layer().parameters(shapes.get(i)).size();
      int ownBuffers = node.layer().buffers(shapes.get(i)).size();
      firstParameter[i + 1] = firstParameter[i] + ownParameters;
      LayerTensors tensors =
          new LayerTensors(
              values.parameters.subList(firstParameter[i], firstParameter[i + 1]),
              values.buffers.subList(firstBuffer, firstBuffer + ownBuffers),
              values.converted.isEmpty()
                  ? List.of()
                  : values.converted.subList(firstParameter[i], firstParameter[i + 1]),
              computing,
              accelerated,
              hook.parametersStay(),
              workspace,
              transferTime);
      layers.add(around.apply(node.name(), Layers.of(node.layer(), shapes.get(i), tensors)));
      firstBuffer += ownBuffers;
      inputs.add(node.inputs().stream().map(numbers::get).toList());
      numbers.put(node.name(), i);
      frozen[i] = frozenLayers.contains(node.name());
      frozenParameters.set(firstParameter[i], firstParameter[i + 1], frozen[i]);
      learns[i] = kept.learns(node.name());
      keeps[i] = kept.keeps(node.name());
      overwrites[i] = kept.overwrites(node.name());
      for (int input : inputs.get(i)) {
        if (input != INPUT) {
          lastUse[input] = i;
        }
      }
    }
    outputs = spec.outputs().stream().map(output -> numbers.get(output.layer())).toList();
    markAnswers();
  }

  private void markAnswers() {
    if (!outputs.isEmpty()) {
      answers[outputs.getFirst()] = true;
    }
    for (int i = 0; i < size(); i++) {
      // What crosses to another rank always does: that rank cannot know what is needed here.
      answers[i] |= role(i) == Exchange.Role.SEND || role(i) == Exchange.Role.RECEIVE;
    }
    for (int i = size() - 1; i >= 0; i--) {
      if (answers[i]) {
        inputs.get(i).stream().filter(input -> input != INPUT).forEach(in -> answers[in] = true);
      }
    }
  }

  /** Where this node stands; WITHIN if it is no exchange. */
  Exchange.Role role(int node) {
    return spec.nodes().get(node).layer() instanceof Exchange exchange
        ? exchange.role()
        : Exchange.Role.WITHIN;
  }

  /** Whether it is on a device. */
  boolean accelerated() {
    return accelerated;
  }

  /** Waits until what was given to the device is done: what a layer takes is known only then. */
  void awaitDevice() {
    if (accelerated) {
      Libtorch.awaitDevice();
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

  /** How long the layers have spent with other ranks. */
  TransferTime transferTime() {
    return transferTime;
  }

  /** This node's forward pass begins. */
  void beforeForward(int node) {
    if (!hook.equals(LayerHook.NONE) && firstParameter[node] < firstParameter[node + 1]) {
      transferTime.during(() -> hook.beforeForward(firstParameter[node]));
    }
  }

  /** This node's backward pass begins. */
  void beforeBackward(int node) {
    if (!hook.equals(LayerHook.NONE) && firstParameter[node] < firstParameter[node + 1]) {
      transferTime.during(() -> hook.beforeBackward(firstParameter[node]));
    }
  }

  /** The forward passes of a batch without samples, which compute nothing. */
  public void forwardNothing() {
    for (int node = 0; node < size(); node++) {
      beforeForward(node);
    }
  }

  /**
   * The backward passes of a batch without samples.
   *
   * @param ready told the numbers of parameters in the order in which their gradients become ready
   */
  public void backwardNothing(IntConsumer ready) {
    for (int node = size() - 1; node >= 0; node--) {
      if (learns[node]) {
        beforeBackward(node);
        int end = frozen[node] ? firstParameter[node] : firstParameter[node + 1];
        for (int i = firstParameter[node]; i < end; i++) {
          ready.accept(i);
        }
      }
    }
  }

  /** The evaluation of a batch without samples. */
  public void answerNothing() {
    for (int node = 0; node < size(); node++) {
      if (answers[node]) {
        beforeForward(node);
      }
    }
  }

  /** Whether this node computes as in evaluation and its parameters, if any, stay. */
  boolean isFrozen(int node) {
    return frozen[node];
  }

  /** Whether this parameter, by its place among all, is one that learns. */
  public boolean updates(int parameter) {
    return !frozenParameters.get(parameter);
  }

  /**
   * Whether the output of this node is needed after the forward pass: by the loss, or by a backward
   * pass of its own or of a node after it.
   */
  boolean keeps(int node) {
    return keeps[node];
  }

  /** Whether gradients are needed at this node: it learns, or one before it does. */
  boolean learns(int node) {
    return learns[node];
  }

  /** Whether this node has no input but sends the gradient of its output to another rank. */
  boolean returnsGradient(int node) {
    return KeptOutputs.returnsGradient(spec.nodes().get(node).layer());
  }

  /** Whether the output of this node may take the place of its input. */
  boolean overwrites(int node) {
    return overwrites[node];
  }

  /** Whether the network's answer depends on this node. */
  boolean answers(int node) {
    return answers[node];
  }

  /** Whether this node is the last that takes the output of the other. */
  boolean isLastUse(int node, int input) {
    return lastUse[input] == node;
  }

  /** Frees the memory of exchanges. */
  @Override
  public void close() {
    workspace.close();
  }
}
