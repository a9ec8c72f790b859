package dev.tandem.train.config;

import dev.tandem.nn.yaml.Default;

/**
 * When the test set is evaluated, and when training is given up.
 *
 * @param everyEpochs evaluates once in N epochs; the last epoch of a run is always evaluated
 * @param patience validations without a gain after which training ends; 0 for never
 * @param leastGain accuracy, as a share of 1, that counts as a gain; loss if targets are values
 * @param batch samples in one pass of the evaluation
 */
public record ValidationConfig(
    @Default("1") int everyEpochs,
    @Default("0") int patience,
    @Default("0") double leastGain,
    @Default("500") int batch) {

  public ValidationConfig {
    Require.atLeast("every-epochs", 1, everyEpochs);
    Require.atLeast("patience", 0, patience);
    Require.notNegative("least-gain", leastGain);
    Require.atLeast("batch", 1, batch);
  }
}
