package dev.tandem.nn.internal;

import static dev.tandem.nn.internal.Bfloat16Lanes.BYTES;
import static dev.tandem.nn.internal.Bfloat16Lanes.FLOATS;
import static dev.tandem.nn.internal.Bfloat16Lanes.HALVES;
import static dev.tandem.nn.internal.Bfloat16Lanes.ORDER;

import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * The maximum over windows of bfloat16 images, by the vector unit; see {@link VectorUnit}. Saves
 * for each output which element of its window it was, the first of equals, in 16 bits.
 *
 * <p>Numbers are compared as integers of 16 bits, which have the order of bfloat16 once the lower
 * bits of negative ones are turned over. What is not a number is beyond both infinities then; all
 * integers are moved by as many as are below the negative one, and so those wrap around to the top:
 * what is not a number counts as the largest.
 */
final class VectorMaxPool {

  /** Patterns that are not a number, of one sign. */
  private static final short NOT_NUMBERS = 0x7F;

  private static final int SIGN = 15;

  private final ImageWindows windows;
  private final WindowLinks inputs;
  private final WindowLinks outputs;

  /** For windows without holes. */
  VectorMaxPool(ImageWindows windows) {
    this.windows = windows;
    inputs = WindowLinks.ofOutputs(windows);
    outputs = WindowLinks.ofInputs(windows);
  }

  Layer.Pass forward(Tensor images) {
    Tensor input = Torch.fast(images);
    long[] extents = windows.outputExtents(input);
    Tensor output = Tensor.empty(input.type(), extents);
    Tensor taps = Tensor.empty(ScalarType.SHORT, extents);
    MemorySegment from = input.memory();
    MemorySegment to = output.memory();
    MemorySegment places = taps.memory();
    VectorUnit.share(
        input.size(0),
        (begin, end) -> {
          for (long sample = begin; sample < end; sample++) {
            forward(
                windows.input(from, sample),
                windows.output(to, sample),
                windows.output(places, sample));
          }
        });
    return new Layer.Pass(images, output.permute(0, 3, 1, 2), taps);
  }

  /** The gradient by the input. */
  Tensor backward(Layer.Pass pass, Tensor outputGradient) {
    Tensor gradient = Torch.fast(outputGradient);
    Tensor result = windows.newInputs(gradient);
    MemorySegment from = gradient.memory();
    MemorySegment to = result.memory();
    MemorySegment places = pass.saved(0).memory();
    VectorUnit.share(
        gradient.size(0),
        (begin, end) -> {
          for (long sample = begin; sample < end; sample++) {
            backward(
                windows.output(from, sample),
                windows.output(places, sample),
                windows.input(to, sample));
          }
        });
    return result.permute(0, 3, 1, 2);
  }

  private void forward(MemorySegment in, MemorySegment out, MemorySegment taps) {
    int at = 0;
    for (int line = 0; line < windows.lines().out(); line++) {
      for (int column = 0; column < windows.columns().out(); column++) {
        WindowLinks.Group group = inputs.group(line, column);
        int first = inputs.first(line, column);
        for (int channel = 0; channel < windows.placeBytes(); channel += BYTES) {
          largest(in, first + channel, group, out, taps, at + channel);
        }
        at += windows.placeBytes();
      }
    }
  }

  /** Of one window and a vector of channels. */
  private static void largest(
      MemorySegment in,
      int first,
      WindowLinks.Group group,
      MemorySegment out,
      MemorySegment taps,
      int at) {
    int[] offsets = group.offsets;
    short[] numbers = group.taps;
    ShortVector best = key(load(in, first));
    ShortVector place = ShortVector.broadcast(HALVES, numbers[0]);
    for (int i = 1; i < offsets.length; i++) {
      ShortVector key = key(load(in, first + offsets[i]));
      VectorMask<Short> better = key.compare(VectorOperators.GT, best);
      best = best.max(key);
      place = place.blend(numbers[i], better);
    }
    turned(best.add(NOT_NUMBERS)).intoMemorySegment(out, at, ORDER);
    place.intoMemorySegment(taps, at, ORDER);
  }

  private static ShortVector load(MemorySegment memory, int offset) {
    return ShortVector.fromMemorySegment(HALVES, memory, offset, ORDER);
  }

  /** In the order of numbers. */
  private static ShortVector key(ShortVector bits) {
    return turned(bits).sub(NOT_NUMBERS);
  }

  /** Negative ones with all bits but the sign turned over; its own inverse. */
  private static ShortVector turned(ShortVector bits) {
    ShortVector negative = bits.lanewise(VectorOperators.ASHR, SIGN);
    return bits.lanewise(VectorOperators.XOR, negative.lanewise(VectorOperators.LSHR, 1));
  }

  private void backward(MemorySegment gradient, MemorySegment taps, MemorySegment result) {
    int at = 0;
    for (int line = 0; line < windows.lines().in(); line++) {
      for (int column = 0; column < windows.columns().in(); column++) {
        WindowLinks.Group group = outputs.group(line, column);
        int first = outputs.first(line, column);
        for (int channel = 0; channel < windows.placeBytes(); channel += BYTES) {
          if (group.offsets.length == 1) {
            taken(gradient, taps, first + channel, group.taps[0])
                .intoMemorySegment(result, at + channel, ORDER);
          } else {
            sum(gradient, taps, first + channel, group, result, at + channel);
          }
        }
        at += windows.placeBytes();
      }
    }
  }

  /** What comes from all windows that hold an element. */
  private static void sum(
      MemorySegment gradient,
      MemorySegment taps,
      int first,
      WindowLinks.Group group,
      MemorySegment result,
      int at) {
    int[] offsets = group.offsets;
    short[] numbers = group.taps;
    FloatVector even = FloatVector.zero(FLOATS);
    FloatVector odd = FloatVector.zero(FLOATS);
    for (int i = 0; i < offsets.length; i++) {
      IntVector part = taken(gradient, taps, first + offsets[i], numbers[i]).reinterpretAsInts();
      even = even.add(Bfloat16Lanes.even(part));
      odd = odd.add(Bfloat16Lanes.odd(part));
    }
    Bfloat16Lanes.store(even, odd, result, at);
  }

  /** The gradients behind one window that belong to this element of it; zeros elsewhere. */
  private static ShortVector taken(
      MemorySegment gradient, MemorySegment taps, int offset, short tap) {
    VectorMask<Short> here = load(taps, offset).compare(VectorOperators.EQ, tap);
    return ShortVector.zero(HALVES).blend(load(gradient, offset), here);
  }
}
