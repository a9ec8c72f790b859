package dev.tandem.checkpoint;

import dev.tandem.core.Shape;
import java.util.Collections;
import java.util.List;

/**
 * Where a rank's tensor lies in the larger one that it is a part of.
 *
 * @param whole extents of the whole tensor
 * @param offset where the part begins, for each dimension
 */
public record Slice(Shape whole, List<Long> offset) {

  public Slice {
    offset = List.copyOf(offset);
    if (offset.size() != whole.extents().size()) {
      throw new IllegalArgumentException("offset " + offset + " does not fit shape " + whole);
    }
  }

  /** A tensor that is no part of another. */
  static Slice whole(Shape shape) {
    return new Slice(shape, Collections.nCopies(shape.extents().size(), 0L));
  }

  /** The block that a part of this shape fills. */
  Block block(Shape shape) {
    return new Block(offset, shape.extents());
  }
}
