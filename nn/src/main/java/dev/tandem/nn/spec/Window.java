package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * A window that slides over the space of an image (height, width) or of a volume (depth, height,
 * width). Each list has one number for each dimension of space, or one number for all of them.
 *
 * @param kernel extent of the window
 * @param stride how far it moves
 * @param padding zeros on both sides of the input; maxima ignore them
 * @param dilation distance of neighbouring elements of the window; 1 for a window without holes
 */
public record Window(
    List<Integer> kernel,
    @Default("1") List<Integer> stride,
    @Default("0") List<Integer> padding,
    @Default("1") List<Integer> dilation) {

  private static final List<Integer> ZERO = List.of(0);
  private static final List<Integer> ONE = List.of(1);

  public Window {
    kernel = List.copyOf(kernel);
    stride = List.copyOf(stride);
    padding = List.copyOf(padding);
    dilation = List.copyOf(dilation);
  }

  /** A window that moves by 1, without padding. */
  public static Window of(int... kernel) {
    return new Window(list(kernel), ONE, ZERO, ONE);
  }

  public Window withStride(int... stride) {
    return new Window(kernel, list(stride), padding, dilation);
  }

  public Window withPadding(int... padding) {
    return new Window(kernel, stride, list(padding), dilation);
  }

  public Window withDilation(int... dilation) {
    return new Window(kernel, stride, padding, list(dilation));
  }

  /** This window with one number for each of this many dimensions. */
  public Window over(int dimensions) {
    return new Window(
        spread(kernel, dimensions),
        spread(stride, dimensions),
        spread(padding, dimensions),
        spread(dilation, dimensions));
  }

  /** Checks the numbers that need no input; the layer is named if one is wrong. */
  void check(String layer) {
    atLeast(layer, "kernel", kernel, 1);
    atLeast(layer, "stride", stride, 1);
    atLeast(layer, "padding", padding, 0);
    atLeast(layer, "dilation", dilation, 1);
  }

  /**
   * The shape of one sample after a layer that slides this window over its input.
   *
   * @param ceil whether a last window that fits only partly counts too
   */
  Shape output(LayerSpec layer, Shape input, long channels, boolean ceil) {
    Checks.space(layer, input);
    int dimensions = input.extents().size() - 1;
    if (!fits(dimensions)) {
      throw new UsageException(
          "layer %s: its window %s has not one number for each of the %d dimensions of space of %s"
              .formatted(layer.name(), kernel, dimensions, input));
    }
    Window full = over(dimensions);
    long[] extents = new long[dimensions + 1];
    extents[0] = channels;
    for (int i = 0; i < dimensions; i++) {
      long padded = input.extents().get(i + 1) + 2L * full.padding.get(i);
      long room = padded - full.dilation.get(i) * (full.kernel.get(i) - 1L) - 1;
      if (room < 0) {
        throw new UsageException(
            "layer %s: its window %s is larger than its input %s with padding %s"
                .formatted(layer.name(), full.kernel, input, full.padding));
      }
      int step = full.stride.get(i);
      long last = ceil ? Math.ceilDiv(room, step) : room / step;
      // A window that would begin in the padding after the input sees nothing of it.
      boolean beyond = ceil && last * step >= input.extents().get(i + 1) + full.padding.get(i);
      extents[i + 1] = beyond ? last : last + 1;
    }
    return Shape.of(extents);
  }

  /** Elements of the window. */
  long elements(int dimensions) {
    return over(dimensions).kernel.stream()
        .mapToLong(Integer::longValue)
        .reduce(1, (a, b) -> a * b);
  }

  private boolean fits(int dimensions) {
    return List.of(kernel, stride, padding, dilation).stream()
        .allMatch(list -> list.size() == 1 || list.size() == dimensions);
  }

  private static List<Integer> spread(List<Integer> values, int dimensions) {
    return values.size() == 1 ? Collections.nCopies(dimensions, values.getFirst()) : values;
  }

  private static List<Integer> list(int... values) {
    return Arrays.stream(values).boxed().toList();
  }

  private static void atLeast(String layer, String what, List<Integer> values, int least) {
    if (values.isEmpty()) {
      throw new UsageException("layer %s: %s is missing".formatted(layer, what));
    }
    for (int value : values) {
      Checks.atLeast(layer, what, value, least);
    }
  }
}
