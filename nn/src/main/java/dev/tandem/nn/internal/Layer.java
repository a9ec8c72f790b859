package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Tensor;
import java.util.List;

/**
 * One layer in the engine: its three passes apart.
 *
 * <p>A layer remembers nothing between calls but its parameters and buffers: what the backward
 * passes need is in the {@link Pass} that forward returned, so several batches may be under way at
 * once. Results belong to the caller's scope; no pass but {@link #forwardOver} changes what it was
 * given.
 */
public interface Layer {

  /**
   * What happened in one forward pass.
   *
   * @param output null when nobody needs it any more
   * @param saved what else the backward passes need, as the layer likes it
   * @param number that the backward passes must know: of an exchange the samples of the batch, of a
   *     normalisation on a device which kernel it was
   */
  record Pass(List<Tensor> inputs, Tensor output, List<Tensor> saved, long number) {

    Pass(List<Tensor> inputs, Tensor output, List<Tensor> saved) {
      this(inputs, output, saved, 0);
    }

    Pass(Tensor input, Tensor output, Tensor... saved) {
      this(List.of(input), output, List.of(saved));
    }

    public Tensor input() {
      return inputs.getFirst();
    }

    public Tensor saved(int index) {
      return saved.get(index);
    }

    /** Keeps output and saved tensors beyond the scope; the inputs belong to others. */
    public Pass keep() {
      output.retain();
      saved.forEach(Tensor::retain);
      return this;
    }

    /** The same when nobody needs the output any more, which is released. */
    Pass withoutOutput() {
      output.release();
      return new Pass(inputs, null, saved, number);
    }

    /** The same when nobody needs what was saved, which is released. */
    Pass withoutSaved() {
      saved.forEach(Tensor::release);
      return new Pass(inputs, output, List.of(), number);
    }

    /** Undoes {@link #keep}. */
    public void release() {
      if (output != null) {
        output.release();
      }
      saved.forEach(Tensor::release);
    }
  }

  /** Computes the output. */
  Pass forward(List<Tensor> inputs, Mode mode);

  /**
   * As {@link #forward}, for inputs that are not needed any more: the output may take their place.
   */
  default Pass forwardOver(List<Tensor> inputs, Mode mode) {
    return forward(inputs, mode);
  }

  /** The gradients of the loss by each input, given that by the output. */
  List<Tensor> backwardData(Pass pass, Tensor outputGradient);

  /** Puts the gradients of the loss by the parameters into the sink. */
  default void backwardWeights(Pass pass, Tensor outputGradient, GradientSink sink) {
    // Most layers have no parameters.
  }

  /** Whether {@link #backward} computes one pass after the other, and not both at once. */
  default boolean passesApart() {
    return true;
  }

  /**
   * Both backward passes, first that of the weights: the same bits, with less work where the passes
   * share some.
   *
   * @param weightsReady run when the gradients of the parameters are there
   */
  default List<Tensor> backward(
      Pass pass, Tensor outputGradient, GradientSink sink, Runnable weightsReady) {
    backwardWeights(pass, outputGradient, sink);
    weightsReady.run();
    return backwardData(pass, outputGradient);
  }
}
