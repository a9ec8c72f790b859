package dev.tandem.comm.reduce;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** 32-bit floats. */
final class FloatAccumulator extends Accumulator {

  private final float[] sum = new float[BLOCK];
  private final float[] next = new float[BLOCK];

  @Override
  void load(MemorySegment source, long offset, int count) {
    MemorySegment.copy(source, ValueLayout.JAVA_FLOAT_UNALIGNED, offset, sum, 0, count);
  }

  @Override
  void combine(MemorySegment source, long offset, int count, ReduceOp op) {
    MemorySegment.copy(source, ValueLayout.JAVA_FLOAT_UNALIGNED, offset, next, 0, count);
    switch (op) {
      case SUM, AVERAGE -> add(count);
      case MIN -> min(count);
      case MAX -> max(count);
      case BIT_AND, BIT_OR -> throw onlyBytes(op);
    }
  }

  private void add(int count) {
    float[] a = sum;
    float[] b = next;
    for (int i = 0; i < count; i++) {
      a[i] += b[i];
    }
  }

  private void min(int count) {
    float[] a = sum;
    float[] b = next;
    for (int i = 0; i < count; i++) {
      a[i] = Math.min(a[i], b[i]);
    }
  }

  private void max(int count) {
    float[] a = sum;
    float[] b = next;
    for (int i = 0; i < count; i++) {
      a[i] = Math.max(a[i], b[i]);
    }
  }

  @Override
  void finish(int count, ReduceOp op, int ranks) {
    if (op == ReduceOp.AVERAGE) {
      float[] a = sum;
      for (int i = 0; i < count; i++) {
        a[i] /= ranks;
      }
    }
  }

  @Override
  void store(MemorySegment target, long offset, int count) {
    MemorySegment.copy(sum, 0, target, ValueLayout.JAVA_FLOAT_UNALIGNED, offset, count);
  }
}
