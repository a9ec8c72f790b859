package dev.tandem.comm.reduce;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** 16-bit floats, summed in 32 bits and rounded once, to the nearest even. */
final class HalfAccumulator extends Accumulator {

  /** Which of the two 16-bit formats. */
  enum Format {
    BFLOAT16,
    FLOAT16
  }

  private static final int QUIET_NAN = 0x7fc0;

  private final Format format;
  private final float[] sum = new float[BLOCK];
  private final short[] next = new short[BLOCK];
  private final float[] widened = new float[BLOCK];

  HalfAccumulator(Format format) {
    this.format = format;
  }

  @Override
  void load(MemorySegment source, long offset, int count) {
    read(source, offset, count, sum);
  }

  @Override
  void combine(MemorySegment source, long offset, int count, ReduceOp op) {
    read(source, offset, count, widened);
    float[] a = sum;
    float[] b = widened;
    switch (op) {
      case SUM, AVERAGE -> {
        for (int i = 0; i < count; i++) {
          a[i] += b[i];
        }
      }
      case MIN -> {
        for (int i = 0; i < count; i++) {
          a[i] = Math.min(a[i], b[i]);
        }
      }
      case MAX -> {
        for (int i = 0; i < count; i++) {
          a[i] = Math.max(a[i], b[i]);
        }
      }
      case BIT_AND, BIT_OR -> throw onlyBytes(op);
    }
  }

  private void read(MemorySegment source, long offset, int count, float[] target) {
    MemorySegment.copy(source, ValueLayout.JAVA_SHORT_UNALIGNED, offset, next, 0, count);
    short[] bits = next;
    switch (format) {
      case BFLOAT16 -> {
        for (int i = 0; i < count; i++) {
          target[i] = Float.intBitsToFloat(bits[i] << 16);
        }
      }
      case FLOAT16 -> {
        for (int i = 0; i < count; i++) {
          target[i] = Float.float16ToFloat(bits[i]);
        }
      }
    }
  }

  @Override
  void finish(int count, ReduceOp op, int ranks) {
    float[] a = sum;
    short[] bits = next;
    float divisor = op == ReduceOp.AVERAGE ? ranks : 1;
    switch (format) {
      case BFLOAT16 -> {
        for (int i = 0; i < count; i++) {
          bits[i] = toBfloat16(a[i] / divisor);
        }
      }
      case FLOAT16 -> {
        for (int i = 0; i < count; i++) {
          bits[i] = Float.floatToFloat16(a[i] / divisor);
        }
      }
    }
  }

  @Override
  void store(MemorySegment target, long offset, int count) {
    MemorySegment.copy(next, 0, target, ValueLayout.JAVA_SHORT_UNALIGNED, offset, count);
  }

  static short toBfloat16(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) QUIET_NAN;
    }
    // Half of the last place, less one bit when that place is even: ties go to even.
    return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
  }
}
