package dev.tandem.sync;

import dev.tandem.core.TensorView;
import dev.tandem.sync.compress.Volume;
import java.util.List;

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

  /**
   * What compressed gradients of this rank left behind for the next step, by the names of the
   * gradients: a part of the run's state that is different on each rank. Views of live memory, to
   * be saved or restored between steps.
   */
  default List<TensorView> residuals() {
    return List.of();
  }

  /** The last step, whose gradients are thrown away, shall have left nothing. */
  default void undo() {}

  /** What this rank has given to be summed so far. */
  default Volume volume() {
    return Volume.NONE;
  }
}
