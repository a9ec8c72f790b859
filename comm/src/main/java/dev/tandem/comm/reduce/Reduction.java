package dev.tandem.comm.reduce;

import dev.tandem.core.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * Reduces the elements of all ranks, in rank order.
 *
 * <p>Not thread-safe: it owns the blocks it works in. Make one per thread and keep it.
 */
public final class Reduction {

  /** With an input and the target it fits into a first-level cache. */
  private static final long SUM_BYTES = 16 << 10;

  /** Below, slices and blocks cost more than vectors gain. */
  private static final long SMALL_BYTES = 256;

  private final ReduceOp op;
  private final int elementBytes;
  private final Accumulator accumulator;
  private final boolean direct;
  private MemorySegment cache = MemorySegment.NULL;

  public Reduction(DType type, ReduceOp op) {
    this.op = op;
    this.elementBytes = op.onBits() ? 1 : type.bytes();
    this.accumulator = Accumulator.of(type, op);
    this.direct = type == DType.FLOAT32 && (op == ReduceOp.SUM || op == ReduceOp.AVERAGE);
  }

  /**
   * Sees to it that large sums become as fast as they can be, in the background: for programs that
   * will sum much and measure it. Others need not, for it also begins when much has been summed.
   */
  public static void prepare() {
    FloatSums.prepare();
  }

  /**
   * Reduces equally long inputs into {@code target}, which may be one of them.
   *
   * @param inputs one for each rank, in rank order; at least one
   */
  public void reduce(List<MemorySegment> inputs, MemorySegment target) {
    MemorySegment[] sources = inputs.toArray(MemorySegment[]::new);
    reduce(sources, new long[sources.length], target.byteSize(), target, 0);
  }

  /** Divides every element in place, as the average over this many does. */
  public void divide(MemorySegment data, int divisor) {
    long blockBytes = (long) Accumulator.BLOCK * elementBytes;
    for (long offset = 0; offset < data.byteSize(); offset += blockBytes) {
      int count = (int) (Math.min(blockBytes, data.byteSize() - offset) / elementBytes);
      accumulator.load(data, offset, count);
      accumulator.finish(count, ReduceOp.AVERAGE, divisor);
      accumulator.store(data, offset, count);
    }
  }

  /**
   * Reduces equally long stretches of the inputs.
   *
   * @param inputs one for each rank, in rank order; at least one
   * @param offsets where the stretch begins in each input
   * @param target may be one of the inputs at its own offset
   */
  public void reduce(
      MemorySegment[] inputs, long[] offsets, long bytes, MemorySegment target, long targetOffset) {
    reduce(inputs, offsets, bytes, target, targetOffset, MemorySegment.NULL, 0);
  }

  /**
   * As the other, and writes the same to {@code copy}, unless that is empty; it too may be one of
   * the inputs at its own offset.
   */
  public void reduce(
      MemorySegment[] inputs,
      long[] offsets,
      long bytes,
      MemorySegment target,
      long targetOffset,
      MemorySegment copy,
      long copyOffset) {
    Optional<FloatSum> vectors = vectors(inputs, bytes, target);
    long blockBytes = vectors.isPresent() ? SUM_BYTES : (long) Accumulator.BLOCK * elementBytes;
    for (long offset = 0; offset < bytes; offset += blockBytes) {
      long length = Math.min(blockBytes, bytes - offset);
      if (vectors.isPresent()) {
        MemorySegment part = target.asSlice(targetOffset + offset, length);
        sum(vectors.get(), inputs, offsets, offset, part);
      } else {
        accumulate(inputs, offsets, offset, (int) (length / elementBytes));
        accumulator.store(target, targetOffset + offset, (int) (length / elementBytes));
      }
      // While it is in the cache.
      if (copy.byteSize() != 0) {
        MemorySegment.copy(target, targetOffset + offset, copy, copyOffset + offset, length);
      }
    }
  }

  /** What to sum with, unless small arrays are better. */
  private Optional<FloatSum> vectors(MemorySegment[] inputs, long bytes, MemorySegment target) {
    return direct && inputs.length > 1 && bytes > SMALL_BYTES && allNative(inputs, target)
        ? FloatSums.ready(bytes)
        : Optional.empty();
  }

  /** Vectors cannot be loaded from any array. */
  private static boolean allNative(MemorySegment[] inputs, MemorySegment target) {
    for (MemorySegment input : inputs) {
      if (!input.isNative()) {
        return false;
      }
    }
    return target.isNative();
  }

  private void accumulate(MemorySegment[] inputs, long[] offsets, long offset, int count) {
    accumulator.load(inputs[0], offsets[0] + offset, count);
    for (int rank = 1; rank < inputs.length; rank++) {
      accumulator.combine(inputs[rank], offsets[rank] + offset, count, op);
    }
    accumulator.finish(count, op, inputs.length);
  }

  /** Adds input after input: to the target itself, or in this core's cache. */
  private void sum(
      FloatSum vectors, MemorySegment[] inputs, long[] offsets, long offset, MemorySegment target) {
    int bytes = (int) target.byteSize();
    int mine = placeOf(target, inputs, offsets, offset);
    if (inputs.length == 2 && mine >= 0) {
      // Which of the two comes first does not show in a sum.
      vectors.add(target, inputs[1 - mine].asSlice(offsets[1 - mine] + offset, bytes), bytes);
    } else {
      MemorySegment sum = cache(bytes);
      MemorySegment.copy(inputs[0], offsets[0] + offset, sum, 0, bytes);
      for (int rank = 1; rank < inputs.length; rank++) {
        vectors.add(sum, inputs[rank].asSlice(offsets[rank] + offset, bytes), bytes);
      }
      MemorySegment.copy(sum, 0, target, 0, bytes);
    }
    if (op == ReduceOp.AVERAGE) {
      vectors.divide(target, bytes, inputs.length);
    }
  }

  /** Which of the inputs the target is, or -1. */
  private static int placeOf(
      MemorySegment target, MemorySegment[] inputs, long[] offsets, long offset) {
    for (int rank = 0; rank < inputs.length; rank++) {
      if (inputs[rank].address() + offsets[rank] + offset == target.address()) {
        return rank;
      }
    }
    return -1;
  }

  private MemorySegment cache(long bytes) {
    if (cache.byteSize() == 0) {
      // Freed with the reduction, by the garbage collector: it is small.
      cache = Arena.ofAuto().allocate(SUM_BYTES, 64);
    }
    return cache.asSlice(0, bytes);
  }
}
