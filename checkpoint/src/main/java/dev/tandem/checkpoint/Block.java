package dev.tandem.checkpoint;

import dev.tandem.core.Shape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

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

  /** All of a tensor. */
  static Block whole(List<Long> extents) {
    return new Block(Collections.nCopies(extents.size(), 0L), extents);
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

  /** What both have in common. */
  Optional<Block> common(Block other) {
    if (!meets(other)) {
      return Optional.empty();
    }
    List<Long> low = new ArrayList<>();
    List<Long> extents = new ArrayList<>();
    for (int d = 0; d < shape.size(); d++) {
      low.add(Math.max(offset.get(d), other.offset.get(d)));
      extents.add(Math.min(end(d), other.end(d)) - low.get(d));
    }
    return Optional.of(new Block(low, extents));
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
   * Copies this block from one of which it is a part to another.
   *
   * @param from the elements of {@code source}, row-major
   * @param to the elements of {@code target}, row-major
   */
  void copy(MemorySegment from, Block source, MemorySegment to, Block target, int elementBytes) {
    if (shape.isEmpty()) {
      MemorySegment.copy(from, 0, to, 0, elementBytes);
      return;
    }
    int run = Math.max(runDimension(source), runDimension(target));
    long bytes = elementBytes;
    for (int d = run; d < shape.size(); d++) {
      bytes *= shape.get(d);
    }
    long[] index = new long[shape.size()];
    for (int d = 0; d < index.length; d++) {
      index[d] = offset.get(d);
    }
    while (true) {
      MemorySegment.copy(
          from, source.place(index) * elementBytes, to, target.place(index) * elementBytes, bytes);
      int d = run - 1;
      while (d >= 0 && ++index[d] == end(d)) {
        index[d] = offset.get(d);
        d--;
      }
      if (d < 0) {
        return;
      }
    }
  }

  /** From this dimension on the elements of this block are neighbours among those of another. */
  private int runDimension(Block other) {
    int run = shape.size() - 1;
    while (run > 0 && shape.get(run).equals(other.shape.get(run))) {
      run--;
    }
    return run;
  }

  /** Whether the elements of this block lie one after the other among those of another. */
  boolean isContiguousIn(Block other) {
    for (int d = shape.isEmpty() ? -1 : runDimension(other) - 1; d >= 0; d--) {
      if (shape.get(d) != 1) {
        return false;
      }
    }
    return true;
  }

  /** Where the first element of this block is among those of another, row-major. */
  long placeIn(Block other) {
    return other.place(offset.stream().mapToLong(Long::longValue).toArray());
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
