package dev.tandem.nn;

import org.bytedeco.pytorch.Tensor;

/**
 * One layer in the engine: its three passes apart.
 *
 * <p>A layer remembers nothing between calls but its parameters: what the backward passes need is
 * in the {@link Pass} that forward returned, so several batches may be under way at once. Results
 * belong to the caller's pointer scope.
 */
interface Layer extends AutoCloseable {

  /**
   * What happened in one forward pass.
   *
   * @param saved what else the backward passes need, or null
   */
  record Pass(Tensor input, Tensor output, Tensor saved) {}

  /** Computes the output. */
  Pass forward(Tensor input);

  /** The gradient of the loss by the input, given that by the output. */
  Tensor backwardData(Pass pass, Tensor outputGradient);

  /** Writes the gradients of the loss by the parameters into the gradient bucket. */
  default void backwardWeights(Pass pass, Tensor outputGradient) {
    // Most layers have no parameters.
  }

  @Override
  default void close() {
    // Most layers own nothing of the engine's.
  }
}
