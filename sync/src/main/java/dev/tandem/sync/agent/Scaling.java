package dev.tandem.sync.agent;

import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Multiplies all elements of a tensor. */
final class Scaling {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

  private Scaling() {}

  static void scale(MemorySegment values, DType dtype, float factor) {
    if (factor == 1) {
      return;
    }
    switch (dtype) {
      case FLOAT32 -> {
        for (long at = 0; at < values.byteSize(); at += Float.BYTES) {
          values.set(FLOAT, at, values.get(FLOAT, at) * factor);
        }
      }
      case FLOAT64 -> {
        for (long at = 0; at < values.byteSize(); at += Double.BYTES) {
          values.set(DOUBLE, at, values.get(DOUBLE, at) * factor);
        }
      }
      case BFLOAT16, FLOAT16, INT32, INT64, UINT8 ->
          throw new IllegalArgumentException("%s cannot be scaled".formatted(dtype));
    }
  }
}
