package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.onnx.ExportNodes.Attributes;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.Window;
import dev.tandem.nn.weights.Elements;
import java.util.ArrayList;
import java.util.List;

/**
 * Means over windows. A window that fits only partly divides by the elements that it sees, zeros of
 * the padding counted. Runtimes do not agree on that where there are both, so such a pool is
 * written as one of whole windows, whose means are then scaled up at the far ends.
 */
final class AveragePoolExport {

  private final ExportNodes nodes;

  AveragePoolExport(ExportNodes nodes) {
    this.nodes = nodes;
  }

  void export(AveragePool spec, String input, Shape shape) {
    Window window = spec.window().over(shape.extents().size() - 1);
    boolean padded = window.padding().stream().anyMatch(zeros -> zeros > 0);
    if (spec.ceil() && padded) {
      exportScaled(spec, window, input, shape);
      return;
    }
    nodes.add(
        "AveragePool",
        spec.name(),
        List.of(input),
        LayerExport.window(window, shape)
            .whole("ceil_mode", spec.ceil() ? 1 : 0)
            .whole("count_include_pad", padded ? 1 : 0));
  }

  private void exportScaled(AveragePool spec, Window window, String input, Shape shape) {
    Shape output = spec.output(List.of(shape));
    int dimensions = window.kernel().size();
    List<Integer> pads = new ArrayList<>(window.padding());
    for (int i = 0; i < dimensions; i++) {
      long last = (output.extents().get(i + 1) - 1) * window.stride().get(i);
      long end = last + window.kernel().get(i);
      long zeros = end - window.padding().get(i) - shape.extents().get(i + 1);
      pads.add((int) Math.max(0, zeros));
    }
    String means =
        nodes.add(
            "AveragePool",
            spec.name() + "/means",
            List.of(input),
            new Attributes()
                .integers("kernel_shape", window.kernel())
                .integers("strides", window.stride())
                .integers("pads", pads)
                .whole("ceil_mode", 0)
                .whole("count_include_pad", 1));
    String scale = nodes.constant(scale(spec.name() + "/scale", window, shape, output));
    nodes.add("Mul", spec.name(), means, scale);
  }

  /** By how much the mean of each window is too small: its elements over those that it sees. */
  private static TensorView scale(String name, Window window, Shape shape, Shape output) {
    long[] extents = output.toArray();
    extents[0] = 1;
    TensorView scale = Tensors.empty(name, Shape.of(extents));
    for (long place = 0; place < scale.shape().elements(); place++) {
      double factor = 1;
      long rest = place;
      for (int i = extents.length - 1; i >= 1; i--) {
        long begin = rest % extents[i] * window.stride().get(i - 1);
        rest /= extents[i];
        int kernel = window.kernel().get(i - 1);
        long all = shape.extents().get(i) + 2L * window.padding().get(i - 1);
        factor *= (double) kernel / Math.min(kernel, all - begin);
      }
      Elements.set(scale, place, factor);
    }
    return scale;
  }
}
