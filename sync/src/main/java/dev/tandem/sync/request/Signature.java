package dev.tandem.sync.request;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;

/**
 * What ranks must agree on before a tensor can travel. A rank's weight in a sum is its own business
 * and not part of it.
 *
 * @param root whose tensor a broadcast sends; 0 for reductions
 * @param scale what the result is multiplied by
 */
public record Signature(Operation operation, DType dtype, Shape shape, int root, float scale) {

  /** The sum of the tensors of all ranks. */
  public static Signature sum(DType dtype, Shape shape) {
    return new Signature(Operation.SUM, dtype, shape, 0, 1);
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
        && scale == other.scale;
  }

  @Override
  public String toString() {
    return "%s of %s %s%s%s"
        .formatted(
            operation,
            dtype,
            shape,
            operation == Operation.BROADCAST ? " from rank " + root : "",
            scale == 1 ? "" : " times " + scale);
  }
}
