package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Window;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** The window of a convolution or pool from a node's attributes. */
final class Windows {

  private Windows() {}

  /**
   * The window of a node.
   *
   * @param kernel its extents
   * @param around zeros around the input that a node before put there; empty for none
   */
  static Window of(
      NodeAttributes attributes, List<Long> kernel, Shape input, List<Integer> around) {
    int dimensions = input.extents().size() - 1;
    List<Integer> extents = integers(kernel);
    List<Integer> stride = list(attributes.integers("strides"), dimensions, 1);
    List<Integer> dilation = list(attributes.integers("dilations"), dimensions, 1);
    if (dimensions < 1 || extents.size() != dimensions) {
      throw attributes.refused("window %s over samples of %s".formatted(kernel, input));
    }
    List<Integer> padding =
        switch (attributes.text("auto_pad", "NOTSET")) {
          case "NOTSET" -> symmetric(attributes, attributes.integers("pads"), dimensions);
          case "VALID" -> Collections.nCopies(dimensions, 0);
          case "SAME_UPPER", "SAME_LOWER" -> same(attributes, input, extents, stride, dilation);
          default -> throw attributes.refused("auto_pad");
        };
    if (!around.isEmpty()) {
      List<Integer> own = padding;
      padding = IntStream.range(0, dimensions).mapToObj(i -> own.get(i) + around.get(i)).toList();
    }
    return new Window(brief(extents), brief(stride), brief(padding), brief(dilation));
  }

  /** Begins and ends of all dimensions as one number for each, which they must agree in. */
  static List<Integer> symmetric(NodeAttributes attributes, List<Long> pads, int dimensions) {
    if (pads == null || pads.isEmpty()) {
      return Collections.nCopies(dimensions, 0);
    }
    List<Long> begins = pads.subList(0, pads.size() / 2);
    if (pads.size() != 2 * dimensions || !begins.equals(pads.subList(dimensions, pads.size()))) {
      throw attributes.refused("padding %s differs at the two ends".formatted(pads));
    }
    return integers(begins);
  }

  private static List<Integer> same(
      NodeAttributes attributes,
      Shape input,
      List<Integer> kernel,
      List<Integer> stride,
      List<Integer> dilation) {
    List<Integer> padding = new ArrayList<>();
    for (int i = 0; i < kernel.size(); i++) {
      long extent = input.extents().get(i + 1);
      long windows = Math.ceilDiv(extent, stride.get(i).longValue());
      long covered = (windows - 1) * stride.get(i) + (kernel.get(i) - 1L) * dilation.get(i) + 1;
      long needed = Math.max(0, covered - extent);
      if (needed % 2 != 0) {
        throw attributes.refused("padding of %d differs at the two ends".formatted(needed));
      }
      padding.add(Math.toIntExact(needed / 2));
    }
    return padding;
  }

  private static List<Integer> list(List<Long> values, int dimensions, int otherwise) {
    return values == null ? Collections.nCopies(dimensions, otherwise) : integers(values);
  }

  private static List<Integer> integers(List<Long> values) {
    return values.stream().map(value -> Math.clamp(value, -1, Integer.MAX_VALUE)).toList();
  }

  private static List<Integer> brief(List<Integer> values) {
    return values.stream().distinct().count() == 1 ? values.subList(0, 1) : values;
  }
}
