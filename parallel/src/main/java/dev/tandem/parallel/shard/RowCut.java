package dev.tandem.parallel.shard;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows (places of the first dimension) of a tensor, divided evenly over ranks; the first ranks
 * have one more where it does not come out even, and the last ones none where rows are few.
 */
public record RowCut(Shape shape, DType dtype, int ranks) {

  /** The first row of a rank. */
  long from(int rank) {
    long rows = shape.extents().getFirst();
    return rows / ranks * rank + Math.min(rank, rows % ranks);
  }

  /** The shape of a rank's rows. */
  Shape rows(int rank) {
    List<Long> extents = new ArrayList<>(shape.extents());
    extents.set(0, from(rank + 1) - from(rank));
    return new Shape(extents);
  }

  /** The rows of a rank in the memory of the whole tensor. */
  TensorView rows(TensorView whole, int rank) {
    MemorySegment data = whole.data().asSlice(from(rank) * rowBytes(), bytes(rank));
    return new TensorView(whole.name(), dtype, rows(rank), data);
  }

  /** Bytes of a rank's rows. */
  public long bytes(int rank) {
    return (from(rank + 1) - from(rank)) * rowBytes();
  }

  /** Bytes of every rank's rows. */
  public long[] lengths() {
    long[] lengths = new long[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      lengths[rank] = bytes(rank);
    }
    return lengths;
  }

  private long rowBytes() {
    long elements = dtype.bytes();
    for (long extent : shape.extents().subList(1, shape.extents().size())) {
      elements *= extent;
    }
    return elements;
  }
}
