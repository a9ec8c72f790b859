package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.TokenMean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Operators, each as the layer that does the same, or as a part of one. */
final class OperatorImport {

  private final ImportState state;
  private final String answer;
  private final List<OnnxModel.Node> nodes;
  private final Recognition recognition;
  private final ShapeOperators shapes;
  private final WindowOperators windows;

  /** Reads these nodes, of which one makes the answer. */
  OperatorImport(ImportState state, String answer, List<OnnxModel.Node> nodes) {
    this.state = state;
    this.answer = answer;
    this.nodes = nodes;
    recognition = new Recognition(state);
    shapes = new ShapeOperators(state, recognition);
    windows = new WindowOperators(state, recognition);
  }

  /** The layer that makes the answer, when all nodes have been read. */
  Value.Layer answer() {
    OnnxModel.Node end =
        new OnnxModel.Node("output", "output", "", List.of(answer), List.of(answer), Map.of());
    return recognition.layer(end, 0);
  }

  /** Reads a node whose inputs have been read. */
  void read(OnnxModel.Node node) {
    NodeAttributes attributes = new NodeAttributes(node);
    if (!node.domain().isEmpty() && !node.domain().equals("ai.onnx")) {
      throw attributes.refused("it is of the domain " + node.domain());
    }
    state.put(node.output(), result(node, attributes));
  }

  private Value result(OnnxModel.Node node, NodeAttributes attributes) {
    return switch (node.operator()) {
      case "Conv" -> windows.convolution(node, attributes);
      case "Gemm" -> gemm(node, attributes);
      case "MaxPool", "AveragePool" -> windows.pool(node, attributes);
      case "GlobalAveragePool" -> globalPool(node, GlobalPool::average, true);
      case "GlobalMaxPool" -> globalPool(node, GlobalPool::max, true);
      case "BatchNormalization" -> batchNorm(node, attributes);
      case "LayerNormalization" -> layerNorm(node, attributes);
      case "LRN" -> localResponseNorm(node, attributes);
      case "Relu" -> elementwise(node, Activation::relu);
      case "LeakyRelu" ->
          elementwise(node, name -> Activation.leakyRelu(name, attributes.number("alpha", 0.01)));
      case "Tanh" -> elementwise(node, Activation::tanh);
      case "Gelu" -> {
        if (!attributes.text("approximate", "none").equals("none")) {
          throw attributes.refused("approximate");
        }
        yield elementwise(node, Activation::gelu);
      }
      case "Dropout" -> elementwise(node, name -> new Dropout(name, ratio(node, attributes)));
      case "Sigmoid",
          "MatMul",
          "Add",
          "Sum",
          "Sub",
          "Mul",
          "Div",
          "Pow",
          "Sqrt",
          "Erf",
          "InstanceNormalization" ->
          recognition.read(node);
      case "ReduceMean" -> mean(node, attributes);
      case "Softmax", "LogSoftmax" -> softmax(node, attributes);
      case "Identity", "Cast" -> state.value(node, 0);
      case "Constant" -> constant(node, attributes);
      case "Pad" -> windows.pad(node, attributes);
      default -> shapes.read(node, attributes);
    };
  }

  private Value gemm(OnnxModel.Node node, NodeAttributes attributes) {
    attributes.require("transA", 0, 0);
    if (attributes.number("alpha", 1) != 1 || attributes.number("beta", 1) != 1) {
      throw attributes.refused("alpha or beta is not 1");
    }
    TensorView weight = state.required(node, 1);
    TensorView bias = state.constant(node, 2);
    if (weight.shape().extents().size() != 2) {
      throw attributes.refused("its weights are " + weight.shape());
    }
    TensorView rows = attributes.whole("transB", 0) == 1 ? weight : Tensors.transposed(weight);
    int outputs = Math.toIntExact(rows.shape().extents().getFirst());
    TensorView row =
        bias != null && bias.shape().elements() == outputs
            ? Tensors.reshaped(bias, Shape.of(outputs))
            : bias;
    Value.Layer input = recognition.layer(node, 0);
    state.whole(node, input);
    return state.add(
        node,
        weight,
        name -> new FullyConnected(name, outputs, row != null),
        List.of(input),
        ImportState.weightAndBias(rows, row));
  }

  private Value.Layer globalPool(
      OnnxModel.Node node, Function<String, LayerSpec> make, boolean keepsExtents) {
    Value.Layer input = recognition.layer(node, 0);
    List<Long> seen =
        new ArrayList<>(Collections.nCopies(state.whole(node, input).extents().size(), 1L));
    Value.Layer pool = state.add(node, null, make, List.of(input), Map.of());
    seen.set(0, pool.seen().elements());
    return keepsExtents ? new Value.Layer(pool.name(), new Shape(seen)) : pool;
  }

  private Value batchNorm(OnnxModel.Node node, NodeAttributes attributes) {
    TensorView weight = state.required(node, 1);
    Map<String, TensorView> roles =
        Map.of(
            "weight", weight,
            "bias", state.required(node, 2),
            "running_mean", state.required(node, 3),
            "running_var", state.required(node, 4));
    Value.Layer input = recognition.layer(node, 0);
    Value.Layer norm =
        state.add(
            node,
            weight,
            name ->
                new BatchNorm(
                    name,
                    // As decimal numbers: 1 - 0.9 is 0.1, not the double beside it.
                    Math.round((1 - attributes.number("momentum", 0.9)) * 1e9) / 1e9,
                    attributes.number("epsilon", 1e-5)),
            List.of(input),
            roles);
    return new Value.Layer(norm.name(), input.seen());
  }

  private Value layerNorm(OnnxModel.Node node, NodeAttributes attributes) {
    TensorView weight = state.required(node, 1);
    Value.Layer input = recognition.layer(node, 0);
    int dimensions = state.whole(node, input).extents().size();
    long axis = attributes.whole("axis", -1);
    if (axis != -1 && axis != dimensions) {
      throw attributes.refused("axis = " + axis);
    }
    TensorView bias = GraphImport.orFilled(state.constant(node, 2), weight.shape(), 0);
    return state.add(
        node,
        weight,
        name -> new LayerNorm(name, attributes.number("epsilon", 1e-5)),
        List.of(input),
        ImportState.weightAndBias(weight, bias));
  }

  private Value localResponseNorm(OnnxModel.Node node, NodeAttributes attributes) {
    return elementwise(
        node,
        name ->
            new LocalResponseNorm(
                name,
                Math.toIntExact(attributes.whole("size", 1)),
                attributes.number("alpha", 1e-4),
                attributes.number("beta", 0.75),
                attributes.number("bias", 1),
                LocalResponseNorm.Across.CHANNELS));
  }

  private double ratio(OnnxModel.Node node, NodeAttributes attributes) {
    if (state.value(node, 1) instanceof Value.Constant(TensorView ratio)) {
      return Recognition.number(ratio);
    }
    return attributes.number("ratio", 0.5);
  }

  private Value elementwise(OnnxModel.Node node, Function<String, LayerSpec> make) {
    Value.Layer input = recognition.layer(node, 0);
    Value.Layer result = state.add(node, null, make, List.of(input), Map.of());
    return new Value.Layer(result.name(), input.seen());
  }

  /** A mean over all of space is a global pool, one over the tokens their mean. */
  private Value mean(OnnxModel.Node node, NodeAttributes attributes) {
    if (!(state.value(node, 0) instanceof Value.Layer input)) {
      return recognition.read(node);
    }
    int dimensions = input.seen().extents().size();
    List<Long> axes = ShapeOperators.axes(state, node, attributes, dimensions + 1);
    boolean keeps = attributes.whole("keepdims", 1) == 1;
    if (dimensions >= 3 && axes.size() == dimensions - 1 && !axes.contains(1L)) {
      return globalPool(node, GlobalPool::average, keeps);
    }
    if (dimensions == 2 && axes.equals(List.of(1L)) && !keeps) {
      return state.add(node, null, TokenMean::new, List.of(input), Map.of());
    }
    return recognition.read(node);
  }

  /** The answers are those before a softmax; the loss has its own. */
  private Value softmax(OnnxModel.Node node, NodeAttributes attributes) {
    boolean last = node.output().equals(answer);
    for (OnnxModel.Node other : nodes) {
      last |=
          other.inputs().contains(node.output())
              && other.output().equals(answer)
              && other.operator().equals("Identity");
    }
    if (!last) {
      throw attributes.refused("it is not at the end");
    }
    state.notes().add("the %s at the end is left out".formatted(node.operator()));
    return state.value(node, 0);
  }

  private Value constant(OnnxModel.Node node, NodeAttributes attributes) {
    for (Map.Entry<String, OnnxModel.Attribute> entry : node.attributes().entrySet()) {
      switch (entry.getValue()) {
        case OnnxModel.Attribute.Constant(TensorView tensor) -> {
          return new Value.Constant(tensor);
        }
        case OnnxModel.Attribute.Whole(long value) -> {
          return new Value.Constant(Tensors.integers(entry.getKey(), List.of(value)));
        }
        case OnnxModel.Attribute.Integers(List<Long> values) -> {
          return new Value.Constant(Tensors.integers(entry.getKey(), values));
        }
        case OnnxModel.Attribute.Real(float value) -> {
          return new Value.Constant(Tensors.number(entry.getKey(), value));
        }
        default -> {}
      }
    }
    throw attributes.refused("its value is of a kind that Tandem does not have");
  }
}
