package dev.tandem.nn;

import dev.tandem.core.TensorView;
import java.util.function.LongSupplier;

/**
 * Told of each gradient as soon as it is ready, in the order of {@link
 * dev.tandem.core.GradientGraph#parameters}, by the thread that computes, which goes on with the
 * backward pass when the call returns.
 */
@FunctionalInterface
public interface GradientListener {

  /**
   * The gradient of one parameter will not be written again in this step.
   *
   * @param shard which of the step's batches it comes from; 0 if there is one
   * @param parameter its place in {@link Network#parameters}
   * @param gradient the network's own memory; of a network on a device a copy, which is brought in
   *     line by {@link Network#downloadGradients} only
   */
  void ready(int shard, int parameter, TensorView gradient);

  /**
   * Whether gradients are wanted while the backward pass goes on; else all may come at its end,
   * which lets a device repeat a step from a recording.
   */
  default boolean early() {
    return true;
  }

  /** The loss is known and the way back begins; not told when the whole graph is one call. */
  default void backwardBegins() {}

  /**
   * The network has answered one of the step's batches, whose targets are labels.
   *
   * <p>On a device this is known, and told, after the backward pass.
   *
   * @param correct counts the samples that are classified right; valid during this call
   */
  default void answered(int shard, LongSupplier correct) {}
}
