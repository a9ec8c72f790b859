package dev.tandem.train.config;

/**
 * The batch of a step.
 *
 * @param global samples of one step over all ranks
 * @param accumulation passes in which a rank goes through its samples of a step, adding gradients
 *     up: more of them need less memory
 */
public record BatchConfig(int global, int accumulation) {

  public BatchConfig {
    Require.atLeast("batch.global", 1, global);
    Require.atLeast("batch.accumulation", 1, accumulation);
  }
}
