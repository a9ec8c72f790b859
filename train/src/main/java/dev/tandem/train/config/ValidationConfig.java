package dev.tandem.train.config;

/**
 * When the test set is evaluated, and when training is given up.
 *
 * @param everyEpochs after so many epochs; the last epoch of a run is always evaluated
 * @param patience validations without a gain after which training ends; 0 for never
 * @param leastGain accuracy, as a share of 1, that counts as a gain
 * @param batch samples in one pass of the evaluation
 */
public record ValidationConfig(int everyEpochs, int patience, double leastGain, int batch) {

  public ValidationConfig {
    Require.atLeast("validation.every-epochs", 1, everyEpochs);
    Require.atLeast("validation.patience", 0, patience);
    Require.notNegative("validation.least-gain", leastGain);
    Require.atLeast("validation.batch", 1, batch);
  }
}
