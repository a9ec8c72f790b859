package dev.tandem.train;

import dev.tandem.train.config.ValidationConfig;

/**
 * The best validation so far and how long ago it was; immutable.
 *
 * @param accuracy of the best; negative before the first
 * @param step after which it was
 * @param withoutGain validations since
 */
record BestModel(double accuracy, long step, int withoutGain) {

  static final BestModel NONE = new BestModel(-1, 0, 0);

  /** After another validation. */
  BestModel after(double newAccuracy, long newStep, ValidationConfig config) {
    boolean gain = this.equals(NONE) || newAccuracy > accuracy + config.leastGain();
    return gain
        ? new BestModel(newAccuracy, newStep, 0)
        : new BestModel(accuracy, step, withoutGain + 1);
  }

  /** Whether training should be given up. */
  boolean exhausted(ValidationConfig config) {
    return config.patience() > 0 && withoutGain >= config.patience();
  }
}
