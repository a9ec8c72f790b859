package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Collects nodes and constants. A node has the name of its output; what a layer needs besides its
 * own is named after it with a slash.
 */
final class ExportNodes {

  private final List<OnnxModel.Node> nodes = new ArrayList<>();
  private final List<TensorView> constants = new ArrayList<>();

  /** Adds a node and gives the name of its output. */
  String add(String operator, String output, List<String> inputs, Attributes attributes) {
    return add(operator, List.of(output), inputs, attributes);
  }

  String add(String operator, String output, String... inputs) {
    return add(operator, output, List.of(inputs), new Attributes());
  }

  /** Adds a node with several outputs and gives the name of the first. */
  String add(String operator, List<String> outputs, List<String> inputs, Attributes attributes) {
    nodes.add(
        new OnnxModel.Node(outputs.getFirst(), operator, "", inputs, outputs, attributes.values));
    return outputs.getFirst();
  }

  String integers(String name, long... values) {
    List<Long> list = new ArrayList<>();
    for (long value : values) {
      list.add(value);
    }
    constants.add(Tensors.integers(name, list));
    return name;
  }

  String number(String name, double value) {
    constants.add(Tensors.number(name, value));
    return name;
  }

  String constant(TensorView tensor) {
    constants.add(tensor);
    return tensor.name();
  }

  String filled(String name, Shape shape, double value) {
    constants.add(Tensors.filled(name, shape, value));
    return name;
  }

  List<OnnxModel.Node> nodes() {
    return nodes;
  }

  List<TensorView> constants() {
    return constants;
  }

  /** The attributes of a node. */
  static final class Attributes {

    private final Map<String, OnnxModel.Attribute> values = new LinkedHashMap<>();

    Attributes whole(String name, long value) {
      values.put(name, new OnnxModel.Attribute.Whole(value));
      return this;
    }

    Attributes number(String name, double value) {
      values.put(name, new OnnxModel.Attribute.Real((float) value));
      return this;
    }

    Attributes integers(String name, List<Integer> list) {
      List<Long> longs = list.stream().map(Integer::longValue).toList();
      values.put(name, new OnnxModel.Attribute.Integers(longs));
      return this;
    }
  }
}
