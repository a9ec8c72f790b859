package dev.tandem.nn;

import dev.tandem.nn.spec.LayerPass;

/**
 * Told how long each layer took in a training step or an evaluation, by the thread that computes,
 * right after each pass of each layer. With several batches in a step, or a forward pass that is
 * repeated, a layer is named several times: add up.
 *
 * <p>What a step does besides its layers is in no figure: bringing a batch into the engine's order,
 * the loss, the listener that is told of gradients, the optimizer.
 */
public interface LayerTimer {

  /**
   * A pass of a layer is done.
   *
   * @param layer its name in the network's spec
   * @param computing nanoseconds within this rank; of an exchange, packing and unpacking
   * @param transferring nanoseconds in which it waited for other ranks or exchanged with them: in
   *     transfers of exchanges and normalisations, for sums of statistics, for parameters of which
   *     other ranks keep rows
   */
  void took(String layer, LayerPass pass, long computing, long transferring);
}
