package dev.tandem.sync.request;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.sync.compress.Compression;

/**
 * What ranks must agree on before a tensor can travel. A rank's weight in a sum is its own business
 * and not part of it.
 *
 * @param root whose tensor a broadcast sends; 0 for reductions
 * @param scale what the result is multiplied by
 * @param compression how it is written when it travels
 */
public record Signature(
    Operation operation, DType dtype, Shape shape, int root, float scale, Compression compression) {

  public Signature {
    boolean plain = compression.isNone();
    if (!plain && (operation != Operation.SUM || dtype != DType.FLOAT32)) {
      throw new IllegalArgumentException(
          "sums of float32 can be compressed, not %s of %s".formatted(operation, dtype));
    }
    if (operation == Operation.ADASUM && dtype != DType.FLOAT32) {
      throw new IllegalArgumentException("adasum combines float32, not " + dtype);
    }
  }

  /** What travels as it is. */
  public Signature(Operation operation, DType dtype, Shape shape, int root, float scale) {
    this(operation, dtype, shape, root, scale, Compression.none());
  }

  /** The sum of the tensors of all ranks. */
  public static Signature sum(DType dtype, Shape shape) {
    return new Signature(Operation.SUM, dtype, shape, 0, 1);
  }

  /** The same in less bytes. */
  public Signature compressed(Compression other) {
    return new Signature(operation, dtype, shape, root, scale, other);
  }

  /** Whether the elements themselves are summed, so that tensors side by side can be as one. */
  public boolean plainSum() {
    return operation == Operation.SUM && compression.isNone();
  }

  /** Bytes of a tensor. */
  public long bytes() {
    return Math.multiplyExact(shape.elements(), dtype.bytes());
  }

  /** Whether the two can travel as one: everything but the shape is the same. */
  public boolean fusesWith(Signature other) {
    return operation.fusible()
        && operation == other.operation
        && dtype == other.dtype
        && scale == other.scale
        && compression.equals(other.compression);
  }

  @Override
  public String toString() {
    return "%s of %s %s%s%s%s"
        .formatted(
            operation,
            dtype,
            shape,
            operation == Operation.BROADCAST ? " from rank " + root : "",
            scale == 1 ? "" : " times " + scale,
            compression.isNone() ? "" : " as " + compression.code());
  }
}
