package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.UsageException;

/**
 * How a network computes.
 *
 * @param dtype of parameters, gradients and samples: FLOAT32, or FLOAT64 for checks of gradients
 * @param precision of what happens in between
 * @param backward who differentiates
 */
public record NetworkOptions(DType dtype, Precision precision, Backward backward) {

  /** The type of activations. */
  public enum Precision {
    /** That of the parameters. */
    FULL,
    /**
     * BFLOAT16, with parameters, gradients, statistics and losses in FLOAT32: faster on processors
     * that compute with it.
     */
    MIXED
  }

  /** How gradients come about. */
  public enum Backward {
    /** Layer by layer; each gradient is told of when it is there. */
    LAYERWISE,
    /** By the engine, the whole graph at once; all gradients are told of at the end. */
    WHOLE_GRAPH
  }

  /** FLOAT32, layer by layer. */
  public static final NetworkOptions DEFAULT =
      new NetworkOptions(DType.FLOAT32, Precision.FULL, Backward.LAYERWISE);

  public NetworkOptions {
    if (dtype != DType.FLOAT32 && dtype != DType.FLOAT64) {
      throw new UsageException("a network computes in FLOAT32 or FLOAT64, not in " + dtype);
    }
    if (precision == Precision.MIXED && dtype != DType.FLOAT32) {
      throw new UsageException("mixed precision keeps parameters in FLOAT32, not in " + dtype);
    }
  }

  public NetworkOptions withDtype(DType other) {
    return new NetworkOptions(other, precision, backward);
  }

  public NetworkOptions withPrecision(Precision other) {
    return new NetworkOptions(dtype, other, backward);
  }

  public NetworkOptions withBackward(Backward other) {
    return new NetworkOptions(dtype, precision, other);
  }
}
