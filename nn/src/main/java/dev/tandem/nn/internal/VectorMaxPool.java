package dev.tandem.nn.internal;

import static dev.tandem.nn.internal.Bfloat16Lanes.FLOATS;
import static dev.tandem.nn.internal.Bfloat16Lanes.ORDER;
import static dev.tandem.nn.internal.Bfloat16Lanes.WIDE;

import dev.tandem.nn.internal.ImageWindows.Side;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * The maximum over windows of bfloat16 images, by the vector unit; see {@link VectorUnit}. Saves
 * for each output which element of its window it was, the first of equals, in 16 bits.
 *
 * <p>Numbers are compared as integers of 16 bits, which have the order of bfloat16 once the lower
 * bits of negative ones are turned over; what is not a number counts as the largest.
 */
final class VectorMaxPool {

  private static final short INFINITY = 0x7F80;
  private static final int SIGN = 15;

  private final ImageWindows windows;
  private final Side lines;
  private final Side columns;

  /** For windows without holes. */
  VectorMaxPool(ImageWindows windows) {
    this.windows = windows;
    lines = windows.lines();
    columns = windows.columns();
  }

  Layer.Pass forward(Tensor images) {
    Tensor input = Torch.fast(images);
    long[] extents = windows.outputExtents(input);
    Tensor output = input.new_empty(extents);
    Tensor taps =
        input.new_empty(extents, input.options().dtype(new ScalarTypeOptional(ScalarType.Short)));
    MemorySegment from = Torch.memory(input);
    MemorySegment to = Torch.memory(output);
    MemorySegment places = Torch.memory(taps);
    for (long sample = 0; sample < input.size(0); sample++) {
      forward(
          windows.input(from, sample), windows.output(to, sample), windows.output(places, sample));
    }
    return new Layer.Pass(images, output.permute(0, 3, 1, 2), taps);
  }

  /** The gradient by the input. */
  Tensor backward(Layer.Pass pass, Tensor outputGradient) {
    Tensor gradient = Torch.fast(outputGradient);
    Tensor result = windows.newInputs(gradient);
    MemorySegment from = Torch.memory(gradient);
    MemorySegment to = Torch.memory(result);
    MemorySegment places = Torch.memory(pass.saved(0));
    for (long sample = 0; sample < gradient.size(0); sample++) {
      backward(
          windows.output(from, sample), windows.output(places, sample), windows.input(to, sample));
    }
    return result.permute(0, 3, 1, 2);
  }

  private void forward(MemorySegment in, MemorySegment out, MemorySegment taps) {
    int at = 0;
    for (int line = 0; line < lines.out(); line++) {
      for (int column = 0; column < columns.out(); column++) {
        for (int channel = 0; channel < windows.channels(); channel += WIDE.length()) {
          largest(in, lines.begin(line), columns.begin(column), channel, out, taps, at);
          at += WIDE.vectorByteSize();
        }
      }
    }
  }

  /** Of one window and a vector of channels. */
  private void largest(
      MemorySegment in,
      int top,
      int left,
      int channel,
      MemorySegment out,
      MemorySegment taps,
      int at) {
    int lineEnd = Math.min(lines.kernel(), lines.in() - top);
    int columnEnd = Math.min(columns.kernel(), columns.in() - left);
    ShortVector best = ShortVector.broadcast(WIDE, Short.MIN_VALUE);
    ShortVector place = ShortVector.zero(WIDE);
    for (int i = Math.max(0, -top); i < lineEnd; i++) {
      for (int j = Math.max(0, -left); j < columnEnd; j++) {
        int offset = windows.inputOffset(top + i, left + j, channel);
        ShortVector key = key(ShortVector.fromMemorySegment(WIDE, in, offset, ORDER));
        VectorMask<Short> better = key.compare(VectorOperators.GT, best);
        best = best.blend(key, better);
        place = place.blend((short) (i * columns.kernel() + j), better);
      }
    }
    turned(best).intoMemorySegment(out, at, ORDER);
    place.intoMemorySegment(taps, at, ORDER);
  }

  /** In the order of numbers. */
  private static ShortVector key(ShortVector bits) {
    VectorMask<Short> notANumber = bits.and(Short.MAX_VALUE).compare(VectorOperators.GT, INFINITY);
    return turned(bits).blend(Short.MAX_VALUE, notANumber);
  }

  /** Negative ones with all bits but the sign turned over; its own inverse. */
  private static ShortVector turned(ShortVector bits) {
    ShortVector negative = bits.lanewise(VectorOperators.ASHR, SIGN);
    return bits.lanewise(VectorOperators.XOR, negative.lanewise(VectorOperators.LSHR, 1));
  }

  private void backward(MemorySegment gradient, MemorySegment taps, MemorySegment result) {
    int at = 0;
    for (int line = 0; line < lines.in(); line++) {
      int lineBegin = lines.firstWindow(line);
      int lineEnd = lines.lastWindow(line);
      for (int column = 0; column < columns.in(); column++) {
        int columnBegin = columns.firstWindow(column);
        int columnEnd = columns.lastWindow(column);
        boolean alone = lineBegin == lineEnd && columnBegin == columnEnd;
        int tap = tap(line, lineBegin, column, columnBegin);
        for (int channel = 0; channel < windows.channels(); channel += WIDE.length()) {
          if (alone) {
            int offset = windows.outputOffset(lineBegin, columnBegin, channel);
            taken(gradient, taps, offset, tap).intoMemorySegment(result, at, ORDER);
          } else {
            sum(gradient, taps, line, column, channel, result, at);
          }
          at += WIDE.vectorByteSize();
        }
      }
    }
  }

  /** What comes from all windows that hold an element. */
  private void sum(
      MemorySegment gradient,
      MemorySegment taps,
      int line,
      int column,
      int channel,
      MemorySegment result,
      int at) {
    int lineEnd = lines.lastWindow(line);
    int columnBegin = columns.firstWindow(column);
    int columnEnd = columns.lastWindow(column);
    FloatVector lower = FloatVector.zero(FLOATS);
    FloatVector upper = FloatVector.zero(FLOATS);
    for (int i = lines.firstWindow(line); i <= lineEnd; i++) {
      for (int j = columnBegin; j <= columnEnd; j++) {
        int offset = windows.outputOffset(i, j, channel);
        ShortVector part = taken(gradient, taps, offset, tap(line, i, column, j));
        lower = lower.add(Bfloat16Lanes.widen(part, 0));
        upper = upper.add(Bfloat16Lanes.widen(part, 1));
      }
    }
    Bfloat16Lanes.store(lower, result, at);
    Bfloat16Lanes.store(upper, result, at + WIDE.vectorByteSize() / 2);
  }

  /** Which element of a window another one is. */
  private int tap(int line, int lineWindow, int column, int columnWindow) {
    return (line - lines.begin(lineWindow)) * columns.kernel()
        + column
        - columns.begin(columnWindow);
  }

  /** The gradients behind one window that belong to this element of it; zeros elsewhere. */
  private static ShortVector taken(
      MemorySegment gradient, MemorySegment taps, int offset, int tap) {
    VectorMask<Short> here =
        ShortVector.fromMemorySegment(WIDE, taps, offset, ORDER)
            .compare(VectorOperators.EQ, (short) tap);
    ShortVector all = ShortVector.fromMemorySegment(WIDE, gradient, offset, ORDER);
    return ShortVector.zero(WIDE).blend(all, here);
  }
}
