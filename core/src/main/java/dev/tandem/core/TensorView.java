package dev.tandem.core;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A named tensor in memory that somebody else owns: contiguous, row-major, little-endian.
 *
 * <p>The view is valid as long as the arena of {@code data} is; it neither copies nor frees.
 */
public record TensorView(String name, DType dtype, Shape shape, MemorySegment data) {

  public TensorView {
    Objects.requireNonNull(name);
    long needed = Math.multiplyExact(shape.elements(), dtype.bytes());
    if (data.byteSize() != needed) {
      throw new IllegalArgumentException(
          "tensor %s of %s %s needs %d bytes, not %d"
              .formatted(name, dtype, shape, needed, data.byteSize()));
    }
  }

  /** Bytes of all elements. */
  public long byteSize() {
    return data.byteSize();
  }
}
