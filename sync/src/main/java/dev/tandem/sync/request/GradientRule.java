package dev.tandem.sync.request;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.sync.compress.CompressionRule;

/**
 * What becomes of gradients; the same on all ranks.
 *
 * @param reduction {@link Operation#SUM} or {@link Operation#ADASUM}
 * @param compression of which gradient, and how
 */
public record GradientRule(Operation reduction, CompressionRule compression) {

  /** They are summed, as they are. */
  public static final GradientRule SUM = new GradientRule(Operation.SUM, CompressionRule.NONE);

  public GradientRule {
    if (reduction == Operation.BROADCAST) {
      throw new UsageException("the reduction of gradients must be sum or adasum, not broadcast");
    }
    if (reduction == Operation.ADASUM && compression.compresses()) {
      throw new UsageException(
          "adasum compares whole gradients: it cannot be used with a compression");
    }
  }

  /** Whether all gradients are summed as they are. */
  public boolean plain() {
    return reduction == Operation.SUM && !compression.compresses();
  }

  /** What ranks agree on for a gradient. */
  public Signature signature(String name, DType dtype, Shape shape) {
    return new Signature(
        reduction, dtype, shape, 0, 1, compression.of(name, dtype, shape.elements()));
  }
}
