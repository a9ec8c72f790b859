package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** The network as far as it has been read: its layers, their weights, and what names stand for. */
final class ImportState {

  private final Map<String, Value> values = new HashMap<>();
  private final Map<String, Shape> shapes = new HashMap<>();
  private final List<NetworkSpec.Node> layers = new ArrayList<>();
  private final Map<String, TensorView> weights = new LinkedHashMap<>();
  private final List<String> notes = new ArrayList<>();
  private final Set<String> folded = new LinkedHashSet<>();
  private final Shape input;

  /** The batch that the graph was made for, or {@link OnnxModel.Value#UNKNOWN} for any. */
  private final long batch;

  ImportState(String inputName, Shape input, long batch) {
    this.input = input;
    this.batch = batch;
    shapes.put(NetworkSpec.INPUT, input);
    values.put(inputName, new Value.Layer(NetworkSpec.INPUT, input));
  }

  Shape input() {
    return input;
  }

  long batch() {
    return batch;
  }

  List<NetworkSpec.Node> layers() {
    return layers;
  }

  Map<String, TensorView> weights() {
    return weights;
  }

  List<String> notes() {
    return notes;
  }

  /** Convolutions that have a batch normalisation folded into them. */
  Set<String> folded() {
    return folded;
  }

  void put(String name, Value value) {
    values.put(name, value);
  }

  /** An input of a node; null if the node has none at this place. */
  Value value(OnnxModel.Node node, int place) {
    if (place >= node.inputs().size() || node.inputs().get(place).isEmpty()) {
      return null;
    }
    String name = node.inputs().get(place);
    Value value = values.get(name);
    if (value == null) {
      throw new UsageException("node %s: unknown input '%s'".formatted(node.label(), name));
    }
    return value;
  }

  /** What a name stands for, or null. */
  Value value(String name) {
    return values.get(name);
  }

  /** The shape of a sample after a layer of ours. */
  Shape shape(Value.Layer layer) {
    return shapes.get(layer.name());
  }

  /** The shape of an input that must be as the graph sees it. */
  Shape whole(OnnxModel.Node node, Value.Layer input) {
    Shape own = shape(input);
    if (!own.equals(input.seen())) {
      throw new NodeAttributes(node).refused("after a global pool without Flatten");
    }
    return own;
  }

  TensorView required(OnnxModel.Node node, int place) {
    TensorView tensor = constant(node, place);
    if (tensor == null) {
      throw new NodeAttributes(node).refused("its input %d is missing".formatted(place));
    }
    return tensor;
  }

  /** A constant input; null if it is left out. */
  TensorView constant(OnnxModel.Node node, int place) {
    return switch (value(node, place)) {
      case null -> null;
      case Value.Constant(TensorView tensor) -> tensor;
      default ->
          throw new NodeAttributes(node)
              .refused("its input %s is computed".formatted(node.inputs().get(place)));
    };
  }

  /** The weights of most layers; a bias may be null. */
  static Map<String, TensorView> weightAndBias(TensorView weight, TensorView bias) {
    return bias == null ? Map.of("weight", weight) : Map.of("weight", weight, "bias", bias);
  }

  /**
   * Adds a layer.
   *
   * @param hint a tensor of its, whose name may tell that of the layer; or null
   * @param roles its weights by their role in the layer: weight, bias, ...
   */
  Value.Layer add(
      OnnxModel.Node node,
      TensorView hint,
      Function<String, LayerSpec> make,
      List<Value.Layer> inputs,
      Map<String, TensorView> roles) {
    LayerSpec layer = make.apply(name(node, hint));
    List<Shape> inputShapes = inputs.stream().map(this::shape).toList();
    Shape output = layer.output(inputShapes);
    List<ParameterSpec> wanted = new ArrayList<>(layer.parameters(inputShapes));
    wanted.addAll(layer.buffers(inputShapes));
    for (ParameterSpec parameter : wanted) {
      TensorView tensor = roles.get(parameter.name().substring(layer.name().length() + 1));
      if (tensor == null || !tensor.shape().equals(parameter.shape())) {
        throw new UsageException(
            "node %s: operator %s: %s is %s, not %s"
                .formatted(
                    node.label(),
                    node.operator(),
                    parameter.name(),
                    tensor == null ? "missing" : tensor.shape(),
                    parameter.shape()));
      }
      weights.put(parameter.name(), Tensors.named(Tensors.asFloat(tensor), parameter.name()));
    }
    layers.add(new NetworkSpec.Node(layer, inputs.stream().map(Value.Layer::name).toList()));
    shapes.put(layer.name(), output);
    return new Value.Layer(layer.name(), output);
  }

  /**
   * A name that no other layer has: that of the weights without their role, as frameworks name
   * them; or that of the node without the operator, which exporters append.
   */
  private String name(OnnxModel.Node node, TensorView hint) {
    String name = hint == null ? "" : hint.name();
    if (name.endsWith(".weight") && name.length() > ".weight".length()) {
      name = name.substring(0, name.length() - ".weight".length());
    } else {
      name =
          node.name().replaceFirst("^/", "").replaceFirst("/" + node.operator() + "(_\\d+)?$", "");
      name = name.replace('/', '.');
    }
    if (name.isEmpty() || name.equals(NetworkSpec.INPUT)) {
      name = node.operator().toLowerCase(Locale.ROOT);
    }
    String unique = name;
    for (int i = 2; shapes.containsKey(unique); i++) {
      unique = name + "_" + i;
    }
    return unique;
  }
}
