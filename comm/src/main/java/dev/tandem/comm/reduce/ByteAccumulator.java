package dev.tandem.comm.reduce;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Unsigned bytes, and the bits of every type. */
final class ByteAccumulator extends Accumulator {

  // An average needs the whole sum, so sums are kept in ints and wrap around only when stored.
  private final int[] sum = new int[BLOCK];
  private final byte[] next = new byte[BLOCK];

  @Override
  void load(MemorySegment source, long offset, int count) {
    MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset, next, 0, count);
    for (int i = 0; i < count; i++) {
      sum[i] = next[i] & 0xff;
    }
  }

  @Override
  void combine(MemorySegment source, long offset, int count, ReduceOp op) {
    MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset, next, 0, count);
    int[] a = sum;
    byte[] b = next;
    switch (op) {
      case SUM, AVERAGE -> {
        for (int i = 0; i < count; i++) {
          a[i] += b[i] & 0xff;
        }
      }
      case MIN -> {
        for (int i = 0; i < count; i++) {
          a[i] = Math.min(a[i], b[i] & 0xff);
        }
      }
      case MAX -> {
        for (int i = 0; i < count; i++) {
          a[i] = Math.max(a[i], b[i] & 0xff);
        }
      }
      case BIT_AND -> {
        for (int i = 0; i < count; i++) {
          a[i] &= b[i] & 0xff;
        }
      }
      case BIT_OR -> {
        for (int i = 0; i < count; i++) {
          a[i] |= b[i] & 0xff;
        }
      }
    }
  }

  @Override
  void finish(int count, ReduceOp op, int ranks) {
    int divisor = op == ReduceOp.AVERAGE ? ranks : 1;
    for (int i = 0; i < count; i++) {
      next[i] = (byte) (sum[i] / divisor);
    }
  }

  @Override
  void store(MemorySegment target, long offset, int count) {
    MemorySegment.copy(next, 0, target, ValueLayout.JAVA_BYTE, offset, count);
  }
}
