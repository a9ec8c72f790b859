package dev.tandem.nn.internal;

import static dev.tandem.nn.internal.Bfloat16Lanes.BYTES;
import static dev.tandem.nn.internal.Bfloat16Lanes.HALVES;
import static dev.tandem.nn.internal.Bfloat16Lanes.ORDER;

import dev.tandem.nn.engine.Tensor;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * The larger of 0 and each element of bfloat16 images, by the vector unit; see {@link VectorUnit}.
 *
 * <p>As integers of 16 bits negative numbers, down to infinity, are those up to -128; above them
 * are what is not a number with a negative sign, which stays, zero, and all with a positive sign.
 */
final class VectorRelu {

  private static final short NEGATIVE_INFINITY = (short) 0xFF80;

  private VectorRelu() {}

  static Tensor forward(Tensor images) {
    Tensor input = Torch.fast(images);
    Tensor output = input.emptyLike();
    forwardEach(input.memory(), output.memory(), input.size(0));
    return output;
  }

  /** The same in place of images whose channels are last in memory. */
  static void forwardOver(Tensor images) {
    MemorySegment memory = images.memory();
    forwardEach(memory, memory, images.size(0));
  }

  private static void forwardEach(MemorySegment from, MemorySegment to, long samples) {
    long bytes = from.byteSize() / samples;
    VectorUnit.share(
        samples,
        (begin, end) -> {
          for (long sample = begin; sample < end; sample++) {
            forward(from.asSlice(sample * bytes, bytes), to.asSlice(sample * bytes, bytes));
          }
        });
  }

  /** The gradient by the input. */
  static Tensor backward(Tensor outputs, Tensor outputGradient) {
    Tensor output = Torch.fast(outputs);
    Tensor gradient = Torch.fast(outputGradient);
    Tensor result = gradient.emptyLike();
    MemorySegment out = output.memory();
    MemorySegment from = gradient.memory();
    MemorySegment to = result.memory();
    long bytes = out.byteSize() / output.size(0);
    VectorUnit.share(
        output.size(0),
        (begin, end) -> {
          for (long sample = begin; sample < end; sample++) {
            backward(
                out.asSlice(sample * bytes, bytes),
                from.asSlice(sample * bytes, bytes),
                to.asSlice(sample * bytes, bytes));
          }
        });
    return result;
  }

  private static void forward(MemorySegment in, MemorySegment out) {
    int bytes = (int) in.byteSize();
    for (int at = 0; at < bytes; at += BYTES) {
      ShortVector x = load(in, at);
      VectorMask<Short> stays = x.compare(VectorOperators.GT, NEGATIVE_INFINITY);
      ShortVector.zero(HALVES).blend(x, stays).intoMemorySegment(out, at, ORDER);
    }
  }

  private static void backward(MemorySegment out, MemorySegment gradient, MemorySegment result) {
    int bytes = (int) out.byteSize();
    for (int at = 0; at < bytes; at += BYTES) {
      VectorMask<Short> stayed = load(out, at).compare(VectorOperators.NE, (short) 0);
      ShortVector.zero(HALVES)
          .blend(load(gradient, at), stayed)
          .intoMemorySegment(result, at, ORDER);
    }
  }

  private static ShortVector load(MemorySegment memory, int offset) {
    return ShortVector.fromMemorySegment(HALVES, memory, offset, ORDER);
  }
}
