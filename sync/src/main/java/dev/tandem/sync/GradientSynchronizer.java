package dev.tandem.sync;

import dev.tandem.core.TensorView;

/**
 * Sums gradients across ranks. In every step each rank submits the same tensors, in whatever pace
 * they become ready, and then waits once for all of them. {@link BlockingSynchronizer} needs them
 * in the same order on all ranks, {@link Synchronizer} does not.
 */
public interface GradientSynchronizer {

  /**
   * This gradient is ready; its memory belongs to the synchroniser until {@link #await} returns.
   *
   * @param weight this rank's share in the sum (its samples / all samples of the step)
   */
  void submit(TensorView gradient, float weight);

  /** Returns when every submitted gradient holds the weighted sum over all ranks. */
  void await();

  /**
   * Sums a tensor over all ranks and waits for it, in the middle of a step: statistics of a batch
   * normalisation, a loss. Its name is not that of a gradient.
   */
  default void sum(TensorView tensor) {
    throw new UnsupportedOperationException(
        "%s sums gradients at the end of a step only".formatted(getClass().getSimpleName()));
  }
}
