package dev.tandem.sync.agent;

import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Multiplies all elements of a tensor. It goes through small arrays: the compiler vectorises loops
 * over them and not those over native memory.
 */
public final class Scaling {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final int BLOCK = 1024;

  private Scaling() {}

  /** Multiplies in place. */
  public static void scale(MemorySegment values, DType dtype, float factor) {
    if (factor == 1) {
      return;
    }
    switch (dtype) {
      case FLOAT32 -> scaleFloats(values, factor);
      case FLOAT64 -> scaleDoubles(values, factor);
      case BFLOAT16, FLOAT16, INT32, INT64, UINT8 ->
          throw new IllegalArgumentException("%s cannot be scaled".formatted(dtype));
    }
  }

  private static void scaleFloats(MemorySegment values, float factor) {
    long elements = values.byteSize() / Float.BYTES;
    float[] block = new float[(int) Math.min(BLOCK, elements)];
    for (long at = 0; at < elements; at += block.length) {
      int count = (int) Math.min(block.length, elements - at);
      MemorySegment.copy(values, FLOAT, at * Float.BYTES, block, 0, count);
      for (int i = 0; i < count; i++) {
        block[i] *= factor;
      }
      MemorySegment.copy(block, 0, values, FLOAT, at * Float.BYTES, count);
    }
  }

  private static void scaleDoubles(MemorySegment values, float factor) {
    long elements = values.byteSize() / Double.BYTES;
    double[] block = new double[(int) Math.min(BLOCK, elements)];
    for (long at = 0; at < elements; at += block.length) {
      int count = (int) Math.min(block.length, elements - at);
      MemorySegment.copy(values, DOUBLE, at * Double.BYTES, block, 0, count);
      for (int i = 0; i < count; i++) {
        block[i] *= factor;
      }
      MemorySegment.copy(block, 0, values, DOUBLE, at * Double.BYTES, count);
    }
  }
}
