package dev.tandem.oracle.profile;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerSpec;
import java.util.List;

/**
 * How long layers take on a device, measured or estimated. Implementations are immutable or
 * thread-safe.
 */
public interface LayerSeconds {

  /**
   * What the passes of a layer take, in seconds.
   *
   * @param measured whether this very layer was measured, rather than estimated from others
   * @param spread relative standard deviation of the figures; of estimates their typical error
   */
  record Passes(
      double forward,
      double backwardData,
      double backwardWeights,
      boolean measured,
      double spread) {

    /** Of a layer that takes no time. */
    public static final Passes NONE = new Passes(0, 0, 0, true, 0);
  }

  /**
   * The passes of a layer that is no {@link dev.tandem.nn.spec.Exchange}.
   *
   * @param samples that it gets at once
   */
  Passes of(LayerSpec layer, List<Shape> inputs, long samples);

  /**
   * The change of parameters by an optimizer.
   *
   * @param bytes of the parameters
   * @param tensors number of parameters
   * @param stateValues numbers that the optimizer keeps for each
   */
  double update(long bytes, int tensors, int stateValues);

  /** Packing or unpacking so many bytes for other ranks. */
  double copy(long bytes);

  /**
   * Packing and unpacking at an exchange, without what happens between ranks: forward, and backward
   * as {@code backwardData}.
   *
   * @param samples of the ranks that have the same samples
   * @param type of activations
   */
  default Passes packing(Exchange exchange, long samples, DType type) {
    int rank = exchange.transfer().rank();
    return new Passes(
        copy(exchange.forward().copiedElements(rank, samples) * type.bytes()),
        copy(exchange.backward().copiedElements(rank, samples) * type.bytes()),
        0,
        false,
        0);
  }

  /** What a pass takes besides its layers: the loss, and the calls. */
  double perPass(int layers);
}
