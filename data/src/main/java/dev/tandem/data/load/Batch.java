package dev.tandem.data.load;

import dev.tandem.data.order.Position;
import java.lang.foreign.MemorySegment;

/**
 * Samples ready for a network: float32 inputs (of images count x channels x height x width,
 * normalised) and their targets, which are int64 labels or float32 values, in native order. Lent by
 * a {@link Loader}: valid until its next {@code next()}.
 *
 * @param position where its step begins in the global order
 * @param count samples in it
 * @param globalCount samples that all ranks together were to have in this step
 * @param skipped samples of this rank that are missing because their records are bad
 */
public record Batch(
    Position position,
    MemorySegment images,
    MemorySegment labels,
    int count,
    int globalCount,
    int skipped) {

  /** The same with other inputs: of parts of the samples, or of some of them. */
  public Batch withImages(MemorySegment newImages) {
    return new Batch(position, newImages, labels, count, globalCount, skipped);
  }

  /**
   * The share of this rank's mean in the mean over all ranks' samples. Skipped samples stay in the
   * denominator, as if their gradients were zero: so the result does not depend on which rank had
   * them.
   */
  public double weight() {
    return globalCount == 0 ? 0 : (double) count / globalCount;
  }
}
