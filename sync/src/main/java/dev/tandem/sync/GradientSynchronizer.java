package dev.tandem.sync;

import dev.tandem.core.TensorView;

/**
 * Sums gradients across ranks. In every step each rank submits the same tensors in the same order,
 * in whatever pace they become ready, and then waits once for all of them.
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
}
