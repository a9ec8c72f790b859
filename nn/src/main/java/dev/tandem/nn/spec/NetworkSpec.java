package dev.tandem.nn.spec;

import dev.tandem.core.DType;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a network is, without the engine: layers that form a graph without cycles, from the input of
 * this shape to the outputs. All names and shapes are checked here.
 *
 * @param input the shape of one sample
 * @param nodes the layers, each behind its inputs
 * @param outputs the first is the network's answer, one number for each class or quantity; others
 *     are helpers whose losses count in training alone. None in a part of a network that sends what
 *     it computes to another rank.
 */
public record NetworkSpec(Shape input, List<Node> nodes, List<Output> outputs, LossKind loss) {

  /** The name by which layers refer to the network's input. */
  public static final String INPUT = GradientGraph.INPUT;

  /**
   * A layer and where its inputs come from.
   *
   * @param inputs names of layers before it, or {@link #INPUT}
   */
  public record Node(LayerSpec layer, List<String> inputs) {

    public Node {
      inputs = List.copyOf(inputs);
    }

    public String name() {
      return layer.name();
    }
  }

  /**
   * A layer whose output is compared with the targets.
   *
   * @param weight its share in the loss of training
   */
  public record Output(String layer, @Default("1") double weight) {}

  public NetworkSpec {
    nodes = List.copyOf(nodes);
    outputs = List.copyOf(outputs);
    checkOutputs(nodes, outputs, shapes(input, nodes));
    checkUses(nodes, outputs);
  }

  /** Layers one after the other, whose last gives one score for each class. */
  public static NetworkSpec of(Shape input, LayerSpec... layers) {
    NetworkBuilder builder = new NetworkBuilder(input);
    for (LayerSpec layer : layers) {
      builder.add(layer);
    }
    return builder.build();
  }

  /** The same network without helper outputs and without the layers that lead to them alone. */
  public NetworkSpec withoutHelpers() {
    Set<String> needed = new HashSet<>();
    needed.add(outputs.getFirst().layer());
    for (Node node : nodes.reversed()) {
      if (needed.contains(node.name())) {
        needed.addAll(node.inputs());
      }
    }
    List<Node> kept = nodes.stream().filter(node -> needed.contains(node.name())).toList();
    return new NetworkSpec(input, kept, List.of(outputs.getFirst()), loss);
  }

  /**
   * The same network for another number of classes: the fully connected layers that are its outputs
   * get as many; the others stay.
   *
   * @throws UsageException if an output is another kind of layer
   */
  public NetworkSpec withClasses(int classes) {
    Set<String> ends = new HashSet<>();
    outputs.forEach(output -> ends.add(output.layer()));
    List<Node> changed = new ArrayList<>();
    for (Node node : nodes) {
      if (!ends.contains(node.name())) {
        changed.add(node);
      } else if (node.layer() instanceof FullyConnected(String name, _, boolean bias)) {
        changed.add(new Node(new FullyConnected(name, classes, bias), node.inputs()));
      } else {
        throw new UsageException(
            "layer %s, the output, is %s, not fully-connected: its number of classes is fixed"
                .formatted(node.name(), node.layer().kind()));
      }
    }
    return new NetworkSpec(input, changed, outputs, loss);
  }

  /** The same network, whose outputs are compared in another way. */
  public NetworkSpec withLoss(LossKind other) {
    return new NetworkSpec(input, nodes, outputs, other);
  }

  /**
   * The same layers for samples of another shape.
   *
   * @throws UsageException if a layer cannot take what then comes to it
   */
  public NetworkSpec withInput(Shape other) {
    return new NetworkSpec(other, nodes, outputs, loss);
  }

  /** The shape of a sample behind each layer, by name, and that of the input. */
  public Map<String, Shape> shapes() {
    return shapes(input, nodes);
  }

  /** The shapes of the inputs of each layer, in the layers' order. */
  public List<List<Shape>> layerInputs() {
    Map<String, Shape> shapes = shapes();
    return nodes.stream().map(node -> node.inputs().stream().map(shapes::get).toList()).toList();
  }

  /** Numbers in the network's answer: the classes that it tells apart; 0 if it gives none. */
  public int classes() {
    if (outputs.isEmpty()) {
      return 0;
    }
    return Math.toIntExact(shapes().get(outputs.getFirst().layer()).elements());
  }

  /** All parameters in the order in which a network keeps them: by layer. */
  public List<ParameterSpec> parameters() {
    List<List<Shape>> inputs = layerInputs();
    List<ParameterSpec> parameters = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      parameters.addAll(nodes.get(i).layer().parameters(inputs.get(i)));
    }
    return List.copyOf(parameters);
  }

  /** All buffers, by layer. */
  public List<ParameterSpec> buffers() {
    List<List<Shape>> inputs = layerInputs();
    List<ParameterSpec> buffers = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      buffers.addAll(nodes.get(i).layer().buffers(inputs.get(i)));
    }
    return List.copyOf(buffers);
  }

  /** Number of elements of all parameters. */
  public long parameterCount() {
    return parameters().stream().mapToLong(parameter -> parameter.shape().elements()).sum();
  }

  /** The gradients of this network and the order in which its backward pass makes them. */
  public GradientGraph gradientGraph(DType dtype) {
    return gradientGraph(dtype, Set.of());
  }

  /**
   * The same when these layers are frozen: their parameters have no gradients.
   *
   * @param frozen names of layers
   */
  public GradientGraph gradientGraph(DType dtype, Set<String> frozen) {
    Map<String, Shape> shapes = shapes();
    List<List<Shape>> inputs = layerInputs();
    List<GradientGraph.Node> graph = new ArrayList<>();
    for (Node node : nodes) {
      graph.add(
          new GradientGraph.Node(
              node.name(), node.layer().kind(), node.inputs(), shapes.get(node.name())));
    }
    List<GradientGraph.Parameter> ready = new ArrayList<>();
    for (int i = nodes.size() - 1; i >= 0; i--) {
      if (frozen.contains(nodes.get(i).name())) {
        continue;
      }
      for (ParameterSpec parameter : nodes.get(i).layer().parameters(inputs.get(i))) {
        ready.add(
            new GradientGraph.Parameter(
                parameter.name(), nodes.get(i).name(), dtype, parameter.shape()));
      }
    }
    return new GradientGraph(graph, ready);
  }

  static Map<String, Shape> shapes(Shape input, List<Node> nodes) {
    Map<String, Shape> shapes = new HashMap<>();
    shapes.put(INPUT, input);
    for (Node node : nodes) {
      List<Shape> inputs = new ArrayList<>();
      for (String name : node.inputs()) {
        Shape shape = shapes.get(name);
        if (shape == null) {
          throw new UsageException(
              "layer %s: its input '%s' is no layer before it".formatted(node.name(), name));
        }
        inputs.add(shape);
      }
      if (shapes.put(node.name(), node.layer().output(inputs)) != null) {
        throw new UsageException(
            node.name().equals(INPUT)
                ? "a layer is named input, which is the name of the network's input"
                : "two layers are named " + node.name());
      }
    }
    return shapes;
  }

  private static boolean isSend(Node node) {
    return node.layer() instanceof Exchange exchange && exchange.role() == Exchange.Role.SEND;
  }

  private static void checkOutputs(
      List<Node> nodes, List<Output> outputs, Map<String, Shape> shapes) {
    boolean sends = nodes.stream().anyMatch(NetworkSpec::isSend);
    if (nodes.isEmpty() || (outputs.isEmpty() && !sends)) {
      throw new UsageException("a network has at least one layer and one output");
    }
    Shape answer = null;
    for (Output output : outputs) {
      Shape shape = shapes.get(output.layer());
      if (shape == null) {
        throw new UsageException("the output '%s' is no layer".formatted(output.layer()));
      }
      if (shape.extents().size() != 1) {
        throw new UsageException(
            "a network ends with one score for each class, this one with "
                + shape
                + " behind layer "
                + output.layer());
      }
      if (answer != null && !shape.equals(answer)) {
        throw new UsageException(
            "layer %s: an output of %s beside one of %s".formatted(output.layer(), shape, answer));
      }
      if (!(output.weight() > 0)) {
        throw new UsageException(
            "layer %s: its share in the loss is %s, not more than 0"
                .formatted(output.layer(), output.weight()));
      }
      answer = shape;
    }
  }

  private static void checkUses(List<Node> nodes, List<Output> outputs) {
    Set<String> used = new HashSet<>();
    outputs.forEach(output -> used.add(output.layer()));
    for (Node node : nodes.reversed()) {
      if (!used.contains(node.name()) && !isSend(node)) {
        throw new UsageException(
            "layer %s leads to no output: remove it, or name it as an input of another layer"
                .formatted(node.name()));
      }
      used.addAll(node.inputs());
    }
  }
}
