package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import java.util.List;
import java.util.Optional;

/**
 * How a network computes.
 *
 * @param dtype of parameters, gradients and samples: FLOAT32, or FLOAT64 for checks of gradients
 * @param precision of what happens in between
 * @param frozen layers that do not learn, as {@link dev.tandem.nn.spec.LayerNames} reads them: they
 *     compute as in evaluation (normalisations use and keep their running statistics, dropouts drop
 *     nothing), have no gradients and are not updated; the backward pass ends at the lowest layer
 *     that still learns. Gradients and optimizer state of theirs stay in memory, as zeros, so that
 *     the state of a run has the same tensors whatever is frozen.
 * @param loss instead of the one that the network names
 */
public record NetworkOptions(
    DType dtype, Precision precision, List<String> frozen, Optional<Loss> loss) {

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

  /** FLOAT32, every layer learns. */
  public static final NetworkOptions DEFAULT = new NetworkOptions(DType.FLOAT32, Precision.FULL);

  public NetworkOptions {
    frozen = List.copyOf(frozen);
    if (dtype != DType.FLOAT32 && dtype != DType.FLOAT64) {
      throw new UsageException("the type of a network must be FLOAT32 or FLOAT64, not " + dtype);
    }
    if (precision == Precision.MIXED && dtype != DType.FLOAT32) {
      throw new UsageException("mixed precision needs parameters in FLOAT32, not " + dtype);
    }
  }

  /** All layers learn. */
  public NetworkOptions(DType dtype, Precision precision) {
    this(dtype, precision, List.of(), Optional.empty());
  }

  public NetworkOptions withDtype(DType other) {
    return new NetworkOptions(other, precision, frozen, loss);
  }

  public NetworkOptions withPrecision(Precision other) {
    return new NetworkOptions(dtype, other, frozen, loss);
  }

  /** The same with these layers frozen, and no others. */
  public NetworkOptions withFrozen(List<String> patterns) {
    return new NetworkOptions(dtype, precision, patterns, loss);
  }

  /** The same with another loss than the network names. */
  public NetworkOptions withLoss(Loss other) {
    return new NetworkOptions(dtype, precision, frozen, Optional.of(other));
  }
}
