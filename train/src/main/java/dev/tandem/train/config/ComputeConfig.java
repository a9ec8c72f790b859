package dev.tandem.train.config;

import dev.tandem.nn.Device;

/**
 * What computes and how.
 *
 * @param precision of activations
 * @param threads of the engine in each rank; 0 shares the processors of the machine among the ranks
 *     on it, except at level elastic, where it means 1 whatever the number of ranks
 */
public record ComputeConfig(Precision precision, Device device, int threads) {

  /** The type in which activations are computed. */
  public enum Precision {
    FLOAT32,
    /** With parameters, gradients and losses in float32. */
    BFLOAT16
  }

  public ComputeConfig {
    Require.atLeast("threads", 0, threads);
  }
}
