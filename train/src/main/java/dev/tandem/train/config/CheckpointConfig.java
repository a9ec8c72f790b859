package dev.tandem.train.config;

/**
 * When the state is saved, besides at the end of the run.
 *
 * @param everySteps after so many steps; 0 for never
 * @param best after each validation that was better than all before it
 */
public record CheckpointConfig(long everySteps, boolean best) {

  public CheckpointConfig {
    Require.atLeast("checkpoint.every-steps", 0, everySteps);
  }
}
