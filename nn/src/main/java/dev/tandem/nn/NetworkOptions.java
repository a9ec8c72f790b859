package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import java.util.List;

/**
 * How a network computes.
 *
 * @param dtype of parameters, gradients and samples: FLOAT32, or FLOAT64 for checks of gradients
 * @param precision of what happens in between
 * @param backward who differentiates
 * @param frozen layers that do not learn, as {@link dev.tandem.nn.spec.LayerNames} reads them: they
 *     compute as in evaluation (normalisations use and keep their running statistics, dropouts drop
 *     nothing), have no gradients and are not updated; the backward pass ends at the lowest layer
 *     that still learns. Gradients and optimizer state of theirs stay in memory, as zeros, so that
 *     the state of a run has the same tensors whatever is frozen.
 */
public record NetworkOptions(
    DType dtype, Precision precision, Backward backward, List<String> frozen) {

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
    frozen = List.copyOf(frozen);
    if (dtype != DType.FLOAT32 && dtype != DType.FLOAT64) {
      throw new UsageException("a network computes in FLOAT32 or FLOAT64, not in " + dtype);
    }
    if (precision == Precision.MIXED && dtype != DType.FLOAT32) {
      throw new UsageException("mixed precision keeps parameters in FLOAT32, not in " + dtype);
    }
  }

  /** All layers learn. */
  public NetworkOptions(DType dtype, Precision precision, Backward backward) {
    this(dtype, precision, backward, List.of());
  }

  public NetworkOptions withDtype(DType other) {
    return new NetworkOptions(other, precision, backward, frozen);
  }

  public NetworkOptions withPrecision(Precision other) {
    return new NetworkOptions(dtype, other, backward, frozen);
  }

  public NetworkOptions withBackward(Backward other) {
    return new NetworkOptions(dtype, precision, other, frozen);
  }

  /** The same with these layers frozen, and no others. */
  public NetworkOptions withFrozen(List<String> patterns) {
    return new NetworkOptions(dtype, precision, backward, patterns);
  }
}
