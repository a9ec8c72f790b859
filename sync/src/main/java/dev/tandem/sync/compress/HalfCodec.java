package dev.tandem.sync.compress;

import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Float32 to 16 bits and back, rounding to the nearest, ties to even. It goes through small arrays:
 * the compiler vectorises loops over them. For one thread.
 */
final class HalfCodec {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final int BLOCK = 1024;
  private static final int INFINITY = 0x7f80_0000;
  private static final int QUIET_NAN = 0x7fc0;

  private final float[] floats = new float[BLOCK];
  private final int[] bits = new int[BLOCK];
  private final short[] halves = new short[BLOCK];

  void encode(MemorySegment data, DType format, MemorySegment to, long toOffset) {
    long elements = data.byteSize() / Float.BYTES;
    for (long at = 0; at < elements; at += BLOCK) {
      int count = (int) Math.min(BLOCK, elements - at);
      if (format == DType.BFLOAT16) {
        MemorySegment.copy(data, INT, at * Float.BYTES, bits, 0, count);
        toBrain(count);
      } else {
        MemorySegment.copy(data, FLOAT, at * Float.BYTES, floats, 0, count);
        toFloat16(count);
      }
      MemorySegment.copy(halves, 0, to, SHORT, toOffset + at * Short.BYTES, count);
    }
  }

  private void toBrain(int count) {
    int[] from = bits;
    short[] into = halves;
    // Two loops: the compiler vectorises arithmetic of one width, and a change of width by itself.
    for (int i = 0; i < count; i++) {
      int value = from[i];
      // Half of the last place, less one bit when that place is even; all ones if not a number.
      int rounded = (value + 0x7fff + ((value >>> 16) & 1)) >>> 16;
      int notNumber = (INFINITY - (value & Integer.MAX_VALUE)) >> 31;
      from[i] = (rounded & ~notNumber) | (QUIET_NAN & notNumber);
    }
    for (int i = 0; i < count; i++) {
      into[i] = (short) from[i];
    }
  }

  private void toFloat16(int count) {
    float[] from = floats;
    short[] into = halves;
    for (int i = 0; i < count; i++) {
      into[i] = Float.floatToFloat16(from[i]);
    }
  }

  void decode(MemorySegment from, long fromOffset, DType format, MemorySegment data) {
    long elements = data.byteSize() / Float.BYTES;
    for (long at = 0; at < elements; at += BLOCK) {
      int count = (int) Math.min(BLOCK, elements - at);
      MemorySegment.copy(from, SHORT, fromOffset + at * Short.BYTES, halves, 0, count);
      if (format == DType.BFLOAT16) {
        for (int i = 0; i < count; i++) {
          bits[i] = halves[i] << 16;
        }
        MemorySegment.copy(bits, 0, data, INT, at * Float.BYTES, count);
      } else {
        for (int i = 0; i < count; i++) {
          floats[i] = Float.float16ToFloat(halves[i]);
        }
        MemorySegment.copy(floats, 0, data, FLOAT, at * Float.BYTES, count);
      }
    }
  }
}
