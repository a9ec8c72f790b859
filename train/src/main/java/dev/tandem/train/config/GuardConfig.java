package dev.tandem.train.config;

import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;

/**
 * What is done about gradients and losses that run away. Numbers that are not finite always end a
 * run before they reach the parameters.
 *
 * @param clip gradients whose Euclidean norm is larger are shortened to this; 0 for no limit
 * @param lossSpike a loss this many times its smoothed value, and more than 1 above it, ends the
 *     run; 0 for no limit
 * @param spikeAfter steps before which no loss counts as a spike
 */
public record GuardConfig(
    @Default("0") double clip, @Default("0") double lossSpike, @Default("50") long spikeAfter) {

  public GuardConfig {
    Require.notNegative("clip", clip);
    if (lossSpike != 0 && !(lossSpike > 1)) {
      throw new UsageException("loss-spike is %s, expected 0 or more than 1".formatted(lossSpike));
    }
    Require.atLeast("spike-after", 0, spikeAfter);
  }
}
