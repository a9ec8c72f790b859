package dev.tandem.nn;

import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.LossKind;

/**
 * What the outputs of a batch cost, compared with its targets. Implementations have no state; the
 * tensors that they make belong to the caller's scope, those that they are given are not changed.
 *
 * <p>{@link #perSample} makes one from plain arrays, without the engine.
 */
public interface Loss {

  /** Minus the logarithm of the share that the softmax of the outputs gives the label. */
  Loss CROSS_ENTROPY = new CrossEntropy();

  /** The mean over samples and outputs of the squared differences. */
  Loss MEAN_SQUARED_ERROR = new MeanSquaredError();

  /** What a sample's outputs are compared with. */
  enum Target {
    /** A label, which is a 64-bit integer: targets have the shape {@code [batch]}. */
    LABEL,
    /** As many numbers as there are outputs: targets have the shape of the outputs. */
    VALUES
  }

  /** The loss of this name. */
  static Loss of(LossKind kind) {
    return switch (kind) {
      case SOFTMAX_CROSS_ENTROPY -> CROSS_ENTROPY;
      case MEAN_SQUARED_ERROR -> MEAN_SQUARED_ERROR;
    };
  }

  /** A loss that is computed sample by sample in Java. */
  static Loss perSample(Target target, SampleLoss loss) {
    return new SampleLosses(target, loss);
  }

  /** What the outputs are compared with. */
  Target target();

  /**
   * The mean loss of a batch, as a scalar.
   *
   * @param outputs batch x outputs
   */
  Tensor meanLoss(Tensor outputs, Tensor targets);

  /** The gradient of the mean loss by the outputs: of their shape and type. */
  Tensor gradient(Tensor outputs, Tensor targets);

  /** The loss of one sample. Called by one thread at a time. */
  @FunctionalInterface
  interface SampleLoss {

    /**
     * The loss of a sample, and its gradient.
     *
     * @param target the label alone, or as many numbers as there are outputs
     * @param gradient where the gradient by each output goes; zeros before
     */
    double of(float[] outputs, float[] target, float[] gradient);
  }
}
