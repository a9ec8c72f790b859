package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.Window;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Operators that slide a window, and the padding that may stand before them. */
final class WindowOperators {

  private static final Pattern MADE_BY_EXPORTER = Pattern.compile("(onnx::Conv_)?[0-9]+");

  private final ImportState state;
  private final Recognition recognition;

  WindowOperators(ImportState state, Recognition recognition) {
    this.state = state;
    this.recognition = recognition;
  }

  Value convolution(OnnxModel.Node node, NodeAttributes attributes) {
    TensorView weight = state.required(node, 1);
    TensorView bias = state.constant(node, 2);
    Value.Layer input = unpadded(node);
    Window window =
        Windows.of(attributes, space(weight.shape()), state.whole(node, input), padding(node));
    int filters = Math.toIntExact(weight.shape().extents().getFirst());
    int groups = Math.toIntExact(attributes.whole("group", 1));
    Value.Layer convolution =
        state.add(
            node,
            weight,
            name -> new Convolution(name, filters, window, groups, bias != null),
            List.of(input),
            ImportState.weightAndBias(weight, bias));
    if (bias != null && folded(node)) {
      state.folded().add(convolution.name());
    }
    return convolution;
  }

  /**
   * Whether an exporter has folded a batch normalisation into a convolution, which tensors' names
   * tell: the older one of PyTorch gives both a name of its own, the newer one names the bias after
   * the weight, or after the input.
   */
  private static boolean folded(OnnxModel.Node node) {
    String weight = node.inputs().get(1);
    String bias = node.inputs().get(2);
    return (MADE_BY_EXPORTER.matcher(weight).matches() && MADE_BY_EXPORTER.matcher(bias).matches())
        || bias.equals(weight + "_bias")
        || bias.equals(node.inputs().getFirst() + "_bias");
  }

  Value pool(OnnxModel.Node node, NodeAttributes attributes) {
    boolean largest = node.operator().equals("MaxPool");
    if (!largest && state.value(node, 0) instanceof Value.Expression squares && squares.is("Mul")) {
      return recognition.read(node); // of a normalisation over space
    }
    Value.Layer input = unpadded(node);
    List<Long> kernel = attributes.integers("kernel_shape");
    if (kernel == null || (largest && !padding(node).isEmpty())) {
      throw attributes.refused(kernel == null ? "no kernel_shape" : "zeros around its input");
    }
    Window window = Windows.of(attributes, kernel, state.whole(node, input), padding(node));
    boolean ceil = attributes.whole("ceil_mode", 0) != 0;
    boolean padded = window.padding().stream().anyMatch(zeros -> zeros > 0);
    if (!largest && padded && padding(node).isEmpty()) {
      attributes.require("count_include_pad", 1, 0);
    }
    return state.add(
        node,
        null,
        name -> largest ? new MaxPool(name, window, ceil) : new AveragePool(name, window, ceil),
        List.of(input),
        Map.of());
  }

  Value pad(OnnxModel.Node node, NodeAttributes attributes) {
    List<Long> pads =
        state.value(node, 1) instanceof Value.Constant(TensorView tensor)
            ? Tensors.integers(tensor)
            : attributes.integers("pads");
    double value =
        state.value(node, 2) instanceof Value.Constant(TensorView tensor)
            ? Recognition.number(tensor)
            : attributes.number("value", 0);
    Value.Layer input = recognition.layer(node, 0);
    int rank = input.seen().extents().size() + 1;
    if (pads == null || !attributes.text("mode", "constant").equals("constant")) {
      throw attributes.refused("its kind of padding");
    }
    List<Integer> around = Windows.symmetric(attributes, pads, rank);
    if (around.stream().allMatch(zeros -> zeros == 0)) {
      return input;
    }
    if (around.get(0) != 0 || around.get(1) != 0 || value != 0) {
      throw attributes.refused("padding of channels, or with other numbers than 0");
    }
    return new Value.Padded(input, around.subList(2, rank));
  }

  private Value.Layer unpadded(OnnxModel.Node node) {
    return state.value(node, 0) instanceof Value.Padded padded
        ? padded.layer()
        : recognition.layer(node, 0);
  }

  private List<Integer> padding(OnnxModel.Node node) {
    return state.value(node, 0) instanceof Value.Padded padded ? padded.padding() : List.of();
  }

  private static List<Long> space(Shape weight) {
    List<Long> extents = weight.extents();
    return extents.subList(Math.min(2, extents.size()), extents.size());
  }
}
