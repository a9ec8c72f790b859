package dev.tandem.data;

import java.lang.foreign.MemorySegment;

/**
 * Samples ready for a network: float32 images (count x channels x height x width, normalised) and
 * int64 labels, little-endian. Lent by a {@link Loader}: valid until its next {@code next()}.
 *
 * @param count samples in it
 * @param globalCount samples that all ranks together have in this step
 */
public record Batch(MemorySegment images, MemorySegment labels, int count, int globalCount) {

  /** The share of this rank in the mean over all ranks' samples. */
  public double weight() {
    return globalCount == 0 ? 0 : (double) count / globalCount;
  }
}
