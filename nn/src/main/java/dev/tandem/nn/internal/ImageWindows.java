package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Window;
import java.lang.foreign.MemorySegment;

/**
 * The windows that a pooling lays over images whose channels are last in memory, in 16 bits an
 * element. Offsets within one image are small integers, which the compiler handles best.
 */
record ImageWindows(int channels, Side lines, Side columns) {

  /** One dimension of space. */
  record Side(int in, int out, int kernel, int stride, int padding) {

    /** Where a window begins, before 0 if it does in the padding. */
    int begin(int window) {
      return window * stride - padding;
    }

    /** The first window that holds an element. */
    int firstWindow(int element) {
      return Math.max(0, Math.ceilDiv(element + padding - kernel + 1, stride));
    }

    /** The last window that holds an element; before the first if none does. */
    int lastWindow(int element) {
      return Math.min(out - 1, (element + padding) / stride);
    }

    /** Elements of a window, those of the padding counted, those beyond it not. */
    int width(int window) {
      return Math.min(begin(window) + kernel, in + padding) - begin(window);
    }
  }

  /** Those of a pooling from images of one shape to images of the other. */
  static ImageWindows of(Window window, Shape input, Shape output) {
    return new ImageWindows(
        extent(input, 0), side(window, input, output, 0), side(window, input, output, 1));
  }

  private static Side side(Window window, Shape input, Shape output, int dimension) {
    return new Side(
        extent(input, dimension + 1),
        extent(output, dimension + 1),
        window.kernel().get(dimension),
        window.stride().get(dimension),
        window.padding().get(dimension));
  }

  private static int extent(Shape shape, int dimension) {
    return Math.toIntExact(shape.extents().get(dimension));
  }

  /** Memory for so many images before the pooling, samples x lines x columns x channels. */
  Tensor newInputs(Tensor like) {
    return Tensor.empty(like.type(), like.size(0), lines.in(), columns.in(), channels);
  }

  /** The same behind it. */
  long[] outputExtents(Tensor like) {
    return new long[] {like.size(0), lines.out(), columns.out(), channels};
  }

  MemorySegment input(MemorySegment all, long sample) {
    return image(all, sample, lines.in() * columns.in());
  }

  MemorySegment output(MemorySegment all, long sample) {
    return image(all, sample, lines.out() * columns.out());
  }

  private MemorySegment image(MemorySegment all, long sample, int places) {
    long bytes = (long) places * placeBytes();
    return all.asSlice(sample * bytes, bytes);
  }

  /** Bytes of one place, all channels. */
  int placeBytes() {
    return channels * Short.BYTES;
  }
}
