package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.weights.Elements;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The forms in which exporters write layers for which ONNX, or an older version of it, has none.
 */
final class Patterns {

  private final ImportState state;

  Patterns(ImportState state) {
    this.state = state;
  }

  /** The layer that an expression is, now added to the network; null if it is none. */
  Value.Layer match(Value.Expression expression) {
    return switch (expression.node().operator()) {
      case "Mul" -> activation(expression);
      case "Add" -> shifted(expression);
      case "Div" -> localResponseNorm(expression);
      default -> null;
    };
  }

  /** SiLU: x sigmoid(x). GELU: x (1 + erf(x / sqrt 2)) / 2, in any order of the factors. */
  private Value.Layer activation(Value.Expression product) {
    List<Value> factors = new ArrayList<>();
    factors(product, factors);
    List<Value.Layer> layers = new ArrayList<>();
    List<Value.Expression> expressions = new ArrayList<>();
    double scale = 1;
    for (Value factor : factors) {
      switch (factor) {
        case Value.Layer layer -> layers.add(layer);
        case Value.Expression inner -> expressions.add(inner);
        case Value.Constant(TensorView tensor) when tensor.shape().elements() == 1 ->
            scale *= Recognition.number(tensor);
        default -> {
          return null;
        }
      }
    }
    if (layers.size() != 1 || expressions.size() != 1) {
      return null;
    }
    Value.Layer input = layers.getFirst();
    Value.Expression share = expressions.getFirst();
    if (scale == 1 && share.is("Sigmoid") && share.operand(0).equals(input)) {
      return elementwise(product, input, Activation::silu);
    }
    Value erf = share.is("Add") ? besides(share, 1) : null;
    if (scale == 0.5
        && erf instanceof Value.Expression function
        && function.is("Erf")
        && function.operand(0) instanceof Value.Expression scaled
        && ((scaled.is("Div") && isAbout(scaled.operand(1), Math.sqrt(2)))
            || (scaled.is("Mul") && besides(scaled, Math.sqrt(0.5)) != null))
        && scaled.operands().contains(input)) {
      return elementwise(product, input, Activation::gelu);
    }
    return null;
  }

  private Value.Layer elementwise(
      Value.Expression expression, Value.Layer input, Function<String, LayerSpec> make) {
    Value.Layer result = state.add(expression.node(), null, make, List.of(input), Map.of());
    return new Value.Layer(result.name(), input.seen());
  }

  private static void factors(Value value, List<Value> factors) {
    if (value instanceof Value.Expression product && product.is("Mul")) {
      product.operands().forEach(operand -> factors(operand, factors));
    } else {
      factors.add(value);
    }
  }

  /** Something plus a constant: a fully connected layer, or a normalisation written out. */
  private Value.Layer shifted(Value.Expression sum) {
    if (!(constant(sum) instanceof Value.Constant(TensorView bias))
        || !(other(sum) instanceof Value.Expression before)) {
      return null;
    }
    if (before.is("MatMul") && before.operand(0) instanceof Value.Layer input) {
      return fullyConnected(before, input, bias);
    }
    if (!before.is("Mul")
        || !(constant(before) instanceof Value.Constant(TensorView weight))
        || !(other(before) instanceof Value.Expression normal)) {
      return null;
    }
    return normal.is("Reshape")
        ? groupNorm(sum, normal, weight, bias)
        : layerNorm(sum, normal, weight, bias);
  }

  private Value.Layer fullyConnected(Value.Expression product, Value.Layer input, TensorView bias) {
    TensorView weight = ((Value.Constant) product.operand(1)).tensor();
    int outputs = Math.toIntExact(weight.shape().extents().get(1));
    if (bias.shape().elements() != outputs || bias.shape().extents().size() > 1) {
      return null;
    }
    return state.add(
        product.node(),
        weight.name().endsWith(".weight") ? weight : renamed(bias),
        name -> new FullyConnected(name, outputs, true),
        List.of(input),
        Map.of("weight", Tensors.transposed(weight), "bias", bias));
  }

  /** A tensor whose name tells the layer's: exporters rename weights that they transpose. */
  private static TensorView renamed(TensorView bias) {
    String name = bias.name();
    return name.endsWith(".bias")
        ? Tensors.named(bias, name.substring(0, name.length() - ".bias".length()) + ".weight")
        : bias;
  }

  /** d / sqrt(mean(d²) + epsilon) with d = x - mean(x), over the last dimension. */
  private Value.Layer layerNorm(
      Value.Expression sum, Value.Expression normal, TensorView weight, TensorView bias) {
    if (normal.is("Div")
        && normal.operand(0) instanceof Value.Expression difference
        && difference.is("Sub")
        && difference.operand(0) instanceof Value.Layer input
        && difference.operand(1) instanceof Value.Expression mean
        && overFeatures(mean)
        && mean.operand(0).equals(input)
        && normal.operand(1) instanceof Value.Expression root
        && root.is("Sqrt")
        && root.operand(0) instanceof Value.Expression shiftedVariance
        && shiftedVariance.is("Add")
        && constant(shiftedVariance) instanceof Value.Constant(TensorView epsilon)
        && other(shiftedVariance) instanceof Value.Expression variance
        && overFeatures(variance)
        && variance.operand(0) instanceof Value.Expression square
        && isSquare(square, difference)) {
      return state.add(
          sum.node(),
          weight,
          name -> new LayerNorm(name, Recognition.number(epsilon)),
          List.of(input),
          Map.of("weight", weight, "bias", bias));
    }
    return null;
  }

  private boolean overFeatures(Value.Expression mean) {
    if (!mean.is("ReduceMean")) {
      return false;
    }
    int rank = mean.seen().extents().size() + 1;
    NodeAttributes attributes = new NodeAttributes(mean.node());
    List<Long> axes = ShapeOperators.axes(state, mean.node(), attributes, rank);
    return axes.equals(List.of(rank - 1L)) && attributes.whole("keepdims", 1) == 1;
  }

  /** Groups as channels are normalised and put back: how exporters write group normalisation. */
  private Value.Layer groupNorm(
      Value.Expression sum, Value.Expression back, TensorView weight, TensorView bias) {
    if (back.operand(0) instanceof Value.Expression normal
        && normal.is("InstanceNormalization")
        && normal.operand(0) instanceof Value.Expression groups
        && groups.is("Reshape")
        && groups.operand(0) instanceof Value.Layer input
        && back.seen().equals(input.seen())
        && isAll(normal.operand(1), 1)
        && isAll(normal.operand(2), 0)) {
      Shape channels = Shape.of(input.seen().extents().getFirst());
      if (!perChannel(weight, input.seen()) || !perChannel(bias, input.seen())) {
        return null;
      }
      int count = Math.toIntExact(groups.seen().extents().getFirst());
      double epsilon = new NodeAttributes(normal.node()).number("epsilon", 1e-5);
      return state.add(
          sum.node(),
          weight,
          name -> new GroupNorm(name, count, epsilon),
          List.of(input),
          Map.of(
              "weight", Tensors.reshaped(weight, channels),
              "bias", Tensors.reshaped(bias, channels)));
    }
    return null;
  }

  private static boolean perChannel(TensorView tensor, Shape sample) {
    List<Long> expected = new ArrayList<>(Collections.nCopies(sample.extents().size(), 1L));
    expected.set(0, sample.extents().getFirst());
    return tensor.shape().extents().equals(expected);
  }

  /** x / (k + alpha mean(x²))^beta with the mean over a window of space. */
  private Value.Layer localResponseNorm(Value.Expression quotient) {
    if (quotient.operand(0) instanceof Value.Layer input
        && quotient.operand(1) instanceof Value.Expression power
        && power.is("Pow")
        && constant(power) instanceof Value.Constant(TensorView beta)
        && power.operand(0) instanceof Value.Expression sum
        && sum.is("Add")
        && constant(sum) instanceof Value.Constant(TensorView k)
        && other(sum) instanceof Value.Expression part
        && part.is("Mul")
        && constant(part) instanceof Value.Constant(TensorView alpha)
        && other(part) instanceof Value.Expression mean
        && mean.is("AveragePool")
        && mean.operand(0) instanceof Value.Expression square
        && isSquare(square, input)) {
      NodeAttributes pool = new NodeAttributes(mean.node());
      int dimensions = input.seen().extents().size() - 1;
      List<Long> kernel = pool.integers("kernel_shape");
      if (kernel == null || kernel.isEmpty()) {
        return null;
      }
      long size = kernel.getFirst();
      boolean centred =
          kernel.equals(Collections.nCopies(dimensions, size))
              && Collections.nCopies(2 * dimensions, size / 2).equals(pool.integers("pads"))
              && Collections.nCopies(dimensions, 1L).equals(pool.integers("strides"))
              && pool.whole("count_include_pad", 0) == 1;
      return centred
          ? elementwise(
              quotient,
              input,
              name ->
                  new LocalResponseNorm(
                      name,
                      Math.toIntExact(size),
                      Recognition.number(alpha),
                      Recognition.number(beta),
                      Recognition.number(k),
                      LocalResponseNorm.Across.SPACE))
          : null;
    }
    return null;
  }

  private static boolean isSquare(Value.Expression square, Value of) {
    return (square.is("Mul") && square.operand(0).equals(of) && square.operand(1).equals(of))
        || (square.is("Pow") && square.operand(0).equals(of) && isAbout(square.operand(1), 2));
  }

  private static boolean isAll(Value value, double number) {
    if (!(value instanceof Value.Constant(TensorView tensor))) {
      return false;
    }
    for (long i = 0; i < tensor.shape().elements(); i++) {
      if (Elements.number(tensor, i) != number) {
        return false;
      }
    }
    return true;
  }

  /** The other operand of two, if one is a constant of about this number; else null. */
  private static Value besides(Value.Expression expression, double number) {
    return isAbout(constant(expression), number) ? other(expression) : null;
  }

  private static boolean isAbout(Value value, double number) {
    return value instanceof Value.Constant(TensorView tensor)
        && tensor.shape().elements() == 1
        && Math.abs(Elements.number(tensor, 0) - number) < 1e-6;
  }

  /** The constant among the operands, or null. */
  private static Value constant(Value.Expression expression) {
    return expression.operands().stream()
        .filter(operand -> operand instanceof Value.Constant)
        .findFirst()
        .orElse(null);
  }

  /** The operand beside the constant, or null. */
  private static Value other(Value.Expression expression) {
    List<Value> operands = expression.operands();
    if (operands.size() != 2) {
      return null;
    }
    return operands.get(operands.get(0) instanceof Value.Constant ? 1 : 0);
  }
}
