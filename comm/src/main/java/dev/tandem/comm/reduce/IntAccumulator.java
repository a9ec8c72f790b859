package dev.tandem.comm.reduce;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** 32-bit integers. */
final class IntAccumulator extends Accumulator {

  private final int[] sum = new int[BLOCK];
  private final int[] next = new int[BLOCK];

  @Override
  void load(MemorySegment source, long offset, int count) {
    MemorySegment.copy(source, ValueLayout.JAVA_INT_UNALIGNED, offset, sum, 0, count);
  }

  @Override
  void combine(MemorySegment source, long offset, int count, ReduceOp op) {
    MemorySegment.copy(source, ValueLayout.JAVA_INT_UNALIGNED, offset, next, 0, count);
    switch (op) {
      case SUM, AVERAGE -> add(count);
      case MIN -> min(count);
      case MAX -> max(count);
      case BIT_AND, BIT_OR -> throw onlyBytes(op);
    }
  }

  private void add(int count) {
    int[] a = sum;
    int[] b = next;
    for (int i = 0; i < count; i++) {
      a[i] += b[i];
    }
  }

  private void min(int count) {
    int[] a = sum;
    int[] b = next;
    for (int i = 0; i < count; i++) {
      a[i] = Math.min(a[i], b[i]);
    }
  }

  private void max(int count) {
    int[] a = sum;
    int[] b = next;
    for (int i = 0; i < count; i++) {
      a[i] = Math.max(a[i], b[i]);
    }
  }

  @Override
  void finish(int count, ReduceOp op, int ranks) {
    if (op == ReduceOp.AVERAGE) {
      int[] a = sum;
      for (int i = 0; i < count; i++) {
        a[i] /= ranks;
      }
    }
  }

  @Override
  void store(MemorySegment target, long offset, int count) {
    MemorySegment.copy(sum, 0, target, ValueLayout.JAVA_INT_UNALIGNED, offset, count);
  }
}
