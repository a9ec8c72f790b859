package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.weights.Elements;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Operators that are parts of layers: each becomes an expression, which is a layer as soon as it is
 * the whole of one. What an expression is alone, if another node needs it, is found here too.
 */
final class Recognition {

  private final ImportState state;
  private final Patterns patterns;

  Recognition(ImportState state) {
    this.state = state;
    patterns = new Patterns(state);
  }

  /** The result of an operator that leaves the shape of its first input as it is. */
  Value read(OnnxModel.Node node) {
    NodeAttributes attributes = new NodeAttributes(node);
    if (node.operator().equals("MatMul")) {
      layer(node, 0);
      return read(node, product(attributes, operands(node)));
    }
    for (Value operand : operands(node)) {
      if (!(operand instanceof Value.Constant)) {
        return read(node, seen(operand, attributes));
      }
    }
    throw attributes.refused("of constants alone");
  }

  /** The result of an operator that makes samples of this shape. */
  Value read(OnnxModel.Node node, Shape seen) {
    Value.Expression expression = new Value.Expression(node, operands(node), seen);
    Value.Layer whole = patterns.match(expression);
    if (whole == null && node.operator().equals("Add")) {
      whole = positions(expression);
    }
    if (whole != null) {
      return whole;
    }
    boolean sum = node.operator().equals("Add") || node.operator().equals("Sum");
    if (sum && expression.operands().stream().noneMatch(v -> v instanceof Value.Constant)) {
      return sum(node);
    }
    return expression;
  }

  /** An input of a node, as the layer that makes it. */
  Value.Layer layer(OnnxModel.Node node, int place) {
    return switch (state.value(node, place)) {
      case Value.Layer layer -> layer;
      case Value.Expression expression -> alone(expression);
      case null ->
          throw new NodeAttributes(node).refused("its input %d is missing".formatted(place));
      default ->
          throw new NodeAttributes(node)
              .refused("its input %s is not of samples".formatted(node.inputs().get(place)));
    };
  }

  /** The shape of a sample that a value has in the graph. */
  static Shape seen(Value value, NodeAttributes attributes) {
    return switch (value) {
      case Value.Layer layer -> layer.seen();
      case Value.Expression expression -> expression.seen();
      case null, default -> throw attributes.refused("its input is not of samples");
    };
  }

  /** The one element of a constant. */
  static double number(TensorView tensor) {
    if (tensor.shape().elements() != 1) {
      throw new UsageException("tensor %s is not one number".formatted(tensor.name()));
    }
    return Double.parseDouble(Float.toString((float) Elements.number(tensor, 0)));
  }

  private List<Value> operands(OnnxModel.Node node) {
    List<Value> operands = new ArrayList<>();
    for (int i = 0; i < node.inputs().size(); i++) {
      Value value = state.value(node, i);
      if (value != null) {
        operands.add(value);
      }
    }
    return operands;
  }

  private static Shape product(NodeAttributes attributes, List<Value> operands) {
    if (operands.size() != 2
        || !(operands.get(1) instanceof Value.Constant(TensorView weight))
        || weight.shape().extents().size() != 2) {
      throw attributes.refused("of two inputs that are computed");
    }
    List<Long> extents = new ArrayList<>(seen(operands.getFirst(), attributes).extents());
    extents.set(extents.size() - 1, weight.shape().extents().getLast());
    return new Shape(extents);
  }

  private Value.Layer sum(OnnxModel.Node node) {
    List<Value.Layer> inputs = new ArrayList<>();
    for (int i = 0; i < node.inputs().size(); i++) {
      inputs.add(layer(node, i));
    }
    Value.Layer sum = state.add(node, null, Add::new, inputs, Map.of());
    return new Value.Layer(sum.name(), inputs.getFirst().seen());
  }

  private Value.Layer alone(Value.Expression expression) {
    OnnxModel.Node node = expression.node();
    Value.Layer layer =
        switch (node.operator()) {
          case "Sigmoid" -> {
            Value.Layer input = layer(node, 0);
            Value.Layer result =
                state.add(node, null, Activation::sigmoid, List.of(input), Map.of());
            yield new Value.Layer(result.name(), input.seen());
          }
          case "MatMul" -> fullyConnected(expression);
          default ->
              throw new NodeAttributes(node).refused("it is no part of a layer that Tandem knows");
        };
    state.put(node.output(), layer);
    return layer;
  }

  private Value.Layer fullyConnected(Value.Expression product) {
    TensorView weight = ((Value.Constant) product.operand(1)).tensor();
    int outputs = Math.toIntExact(weight.shape().extents().get(1));
    return state.add(
        product.node(),
        weight,
        name -> new FullyConnected(name, outputs, false),
        List.of(layer(product.node(), 0)),
        Map.of("weight", Tensors.transposed(weight)));
  }

  /** A constant for each place that all sequences get: places that are learnt; else null. */
  private Value.Layer positions(Value.Expression sum) {
    for (int i = 0; i < sum.operands().size(); i++) {
      if (sum.operand(i) instanceof Value.Constant(TensorView places)
          && sum.operand(1 - i) instanceof Value.Layer
          && places.shape().elements() == sum.seen().elements()
          && sum.seen().extents().size() == 2) {
        return state.add(
            sum.node(),
            places,
            Positions::new,
            List.of(layer(sum.node(), 1 - i)),
            Map.of("weight", Tensors.reshaped(places, sum.seen())));
      }
    }
    return null;
  }
}
