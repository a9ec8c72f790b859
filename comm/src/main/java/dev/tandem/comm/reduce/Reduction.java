package dev.tandem.comm.reduce;

import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Reduces the elements of all ranks, in rank order.
 *
 * <p>Not thread-safe: it owns the blocks it works in. Make one per thread and keep it.
 */
public final class Reduction {

  private final ReduceOp op;
  private final int elementBytes;
  private final Accumulator accumulator;

  public Reduction(DType type, ReduceOp op) {
    this.op = op;
    this.elementBytes = op.onBits() ? 1 : type.bytes();
    this.accumulator = Accumulator.of(type, op);
  }

  /**
   * Reduces equally long inputs into {@code target}, which may be one of them.
   *
   * @param inputs one for each rank, in rank order; at least one
   */
  public void reduce(List<MemorySegment> inputs, MemorySegment target) {
    reduce(inputs, target, MemorySegment.NULL);
  }

  /** Divides every element in place, as the average over so many does. */
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
   * Reduces equally long inputs into {@code target} and writes the same to {@code copy} while it is
   * in the cache.
   *
   * @param copy as long as the target, or empty for no copy
   */
  public void reduce(List<MemorySegment> inputs, MemorySegment target, MemorySegment copy) {
    long bytes = target.byteSize();
    long blockBytes = (long) Accumulator.BLOCK * elementBytes;
    MemorySegment first = inputs.getFirst();
    int ranks = inputs.size();
    for (long offset = 0; offset < bytes; offset += blockBytes) {
      int count = (int) (Math.min(blockBytes, bytes - offset) / elementBytes);
      accumulator.load(first, offset, count);
      for (int rank = 1; rank < ranks; rank++) {
        accumulator.combine(inputs.get(rank), offset, count, op);
      }
      accumulator.finish(count, op, ranks);
      accumulator.store(target, offset, count);
      if (copy.byteSize() != 0) {
        accumulator.store(copy, offset, count);
      }
    }
  }
}
