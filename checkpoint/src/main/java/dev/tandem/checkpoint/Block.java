package dev.tandem.checkpoint;

import dev.tandem.core.Shape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A rectangular part of a tensor.
 *
 * @param offset where it begins, for each dimension
 * @param shape how far it reaches
 */
record Block(List<Long> offset, List<Long> shape) {

  Block {
    offset = List.copyOf(offset);
    shape = List.copyOf(shape);
    if (offset.size() != shape.size()) {
      throw new IllegalArgumentException("a block at " + offset + " of shape " + shape);
    }
  }

  long elements() {
    return new Shape(shape).elements();
  }

  boolean isIn(Shape whole) {
    for (int d = 0; d < shape.size(); d++) {
      if (offset.get(d) < 0 || offset.get(d) + shape.get(d) > whole.extents().get(d)) {
        return false;
      }
    }
    return true;
  }

  /** Both have elements in common. */
  boolean meets(Block other) {
    for (int d = 0; d < shape.size(); d++) {
      if (Math.max(offset.get(d), other.offset.get(d)) >= Math.min(end(d), other.end(d))) {
        return false;
      }
    }
    return true;
  }

  private long end(int dimension) {
    return offset.get(dimension) + shape.get(dimension);
  }

  /** The dimension along which parts of the block lie one after the other in memory. */
  private int rowDimension() {
    int dimension = 0;
    while (dimension < shape.size() - 1 && shape.get(dimension) == 1) {
      dimension++;
    }
    return dimension;
  }

  /** In how many parts the block can be cut so that each is contiguous in memory. */
  long rows() {
    return shape.isEmpty() ? 1 : shape.get(rowDimension());
  }

  /** Some of its rows, as a block of the same tensor. */
  Block rows(long from, long to) {
    if (shape.isEmpty() || (from == 0 && to == rows())) {
      return this;
    }
    int dimension = rowDimension();
    List<Long> newOffset = new ArrayList<>(offset);
    List<Long> newShape = new ArrayList<>(shape);
    newOffset.set(dimension, offset.get(dimension) + from);
    newShape.set(dimension, to - from);
    return new Block(newOffset, newShape);
  }

  /**
   * Copies what two blocks of one tensor have in common.
   *
   * @param from the elements of this block, row-major
   * @param to the elements of {@code target}, row-major
   */
  void copy(MemorySegment from, Block target, MemorySegment to, int elementBytes) {
    int dimensions = shape.size();
    if (dimensions == 0) {
      MemorySegment.copy(from, 0, to, 0, elementBytes);
      return;
    }
    if (!meets(target)) {
      return;
    }
    long[] low = new long[dimensions];
    long[] high = new long[dimensions];
    for (int d = 0; d < dimensions; d++) {
      low[d] = Math.max(offset.get(d), target.offset.get(d));
      high[d] = Math.min(end(d), target.end(d));
    }
    // Dimensions inside of the run are whole in both blocks, so a run is contiguous in both.
    int run = dimensions - 1;
    while (run > 0
        && shape.get(run).equals(target.shape.get(run))
        && high[run] - low[run] == shape.get(run)) {
      run--;
    }
    long inner = elementBytes;
    for (int d = run + 1; d < dimensions; d++) {
      inner *= shape.get(d);
    }
    long bytes = (high[run] - low[run]) * inner;
    long[] index = low.clone();
    while (true) {
      MemorySegment.copy(
          from, place(index) * elementBytes, to, target.place(index) * elementBytes, bytes);
      int d = run - 1;
      while (d >= 0 && ++index[d] == high[d]) {
        index[d] = low[d];
        d--;
      }
      if (d < 0) {
        return;
      }
    }
  }

  /** Which element of this block, counted row-major, one of the tensor is. */
  private long place(long[] index) {
    long place = 0;
    for (int d = 0; d < shape.size(); d++) {
      place = place * shape.get(d) + (index[d] - offset.get(d));
    }
    return place;
  }
}
