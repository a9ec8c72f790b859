package dev.tandem.train.config;

import dev.tandem.checkpoint.Retention;
import java.util.Optional;

/**
 * When the state is saved, besides at the end of the run, and what is kept.
 *
 * @param everySteps after so many steps; 0 for never
 * @param best after each validation that was better than all before it; the best one is always kept
 * @param keep so many of the newest; 0 for all
 */
public record CheckpointConfig(long everySteps, boolean best, int keep) {

  /** The value of a checkpoint that says how good it is. */
  public static final String ACCURACY = "accuracy";

  public CheckpointConfig {
    Require.atLeast("checkpoint.every-steps", 0, everySteps);
    Require.atLeast("checkpoint.keep", 0, keep);
  }

  /** Which checkpoints stay. */
  public Retention retention() {
    return keep == 0
        ? Retention.ALL
        : new Retention(keep, 0, Optional.of(new Retention.Best(ACCURACY, true)));
  }
}
