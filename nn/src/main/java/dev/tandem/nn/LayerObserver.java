package dev.tandem.nn;

import dev.tandem.core.TensorView;

/**
 * Shown what every layer computes in a training step, by the thread that computes: to find the
 * first layer at which two runs differ. Costs a copy of every activation.
 */
public interface LayerObserver {

  /**
   * The output of a layer, in the order of the forward pass.
   *
   * @param shard which of the step's batches; 0 if there is one
   * @param values named after the layer, the samples first, row-major, in the network's type; valid
   *     during this call
   */
  void output(int shard, TensorView values);

  /**
   * The gradient of the loss by the output of a layer, in the order of the backward pass; layers
   * behind which nothing learns have none.
   */
  void gradient(int shard, TensorView values);
}
