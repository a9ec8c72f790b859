package dev.tandem.core;

import java.util.Arrays;
import java.util.List;

/** The extents of a tensor, outermost first; no extents mean a scalar. */
public record Shape(List<Long> extents) {

  public Shape {
    extents = List.copyOf(extents);
    for (long extent : extents) {
      if (extent < 0) {
        throw new IllegalArgumentException("negative extent in shape " + extents);
      }
    }
  }

  public static Shape of(long... extents) {
    return new Shape(Arrays.stream(extents).boxed().toList());
  }

  /** Number of elements. */
  public long elements() {
    long product = 1;
    for (long extent : extents) {
      product = Math.multiplyExact(product, extent);
    }
    return product;
  }

  /** The extents as an array of its own. */
  public long[] toArray() {
    return extents.stream().mapToLong(Long::longValue).toArray();
  }

  @Override
  public String toString() {
    return extents.toString();
  }
}
