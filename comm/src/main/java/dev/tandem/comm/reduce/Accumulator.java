package dev.tandem.comm.reduce;

import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;

/**
 * A block of elements in a Java array, small enough for the first-level cache. For one thread.
 * Offsets are in bytes, counts in elements of at most {@link #BLOCK}.
 */
abstract sealed class Accumulator
    permits FloatAccumulator,
        DoubleAccumulator,
        HalfAccumulator,
        IntAccumulator,
        LongAccumulator,
        ByteAccumulator {

  /** Elements of a block: two arrays of 8-byte elements take half of a 32 KiB cache. */
  static final int BLOCK = 1024;

  /** Begins with the elements of the first rank. */
  abstract void load(MemorySegment source, long offset, int count);

  /** Takes in the elements of the next rank. */
  abstract void combine(MemorySegment source, long offset, int count, ReduceOp op);

  /** Makes the result of what was taken in from this many ranks. */
  abstract void finish(int count, ReduceOp op, int ranks);

  /** Writes the result. */
  abstract void store(MemorySegment target, long offset, int count);

  static Accumulator of(DType type, ReduceOp op) {
    if (op.onBits()) {
      return new ByteAccumulator();
    }
    return switch (type) {
      case FLOAT32 -> new FloatAccumulator();
      case FLOAT64 -> new DoubleAccumulator();
      case BFLOAT16 -> new HalfAccumulator(HalfAccumulator.Format.BFLOAT16);
      case FLOAT16 -> new HalfAccumulator(HalfAccumulator.Format.FLOAT16);
      case INT32 -> new IntAccumulator();
      case INT64 -> new LongAccumulator();
      case UINT8 -> new ByteAccumulator();
    };
  }

  static IllegalArgumentException onlyBytes(ReduceOp op) {
    return new IllegalArgumentException(op + " works on bytes");
  }
}
