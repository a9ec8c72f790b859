package dev.tandem.train.config;

import dev.tandem.core.UsageException;

/**
 * What is done about gradients and losses that run away. Numbers that are not finite always end a
 * run before they reach the parameters.
 *
 * @param clip gradients whose Euclidean norm is larger are shortened to this; 0 for no limit
 * @param lossSpike a loss so many times its smoothed value ends the run; 0 for no limit
 * @param spikeAfter steps before which no loss counts as a spike
 */
public record GuardConfig(double clip, double lossSpike, long spikeAfter) {

  public GuardConfig {
    Require.notNegative("guard.clip", clip);
    if (lossSpike != 0 && !(lossSpike > 1)) {
      throw new UsageException("guard.loss-spike is %s, not 0 or more than 1".formatted(lossSpike));
    }
    Require.atLeast("guard.spike-after", 0, spikeAfter);
  }
}
