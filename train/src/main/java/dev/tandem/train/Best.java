package dev.tandem.train;

import dev.tandem.train.config.ValidationConfig;

/**
 * The best validation so far and how long ago it was; immutable.
 *
 * @param accuracy of the best; negative before the first
 * @param step after which it was
 * @param withoutGain validations since
 */
record Best(double accuracy, long step, int withoutGain) {

  static final Best NONE = new Best(-1, 0, 0);

  /** After another validation. */
  Best after(double newAccuracy, long newStep, ValidationConfig config) {
    boolean gain = this.equals(NONE) || newAccuracy > accuracy + config.leastGain();
    return gain ? new Best(newAccuracy, newStep, 0) : new Best(accuracy, step, withoutGain + 1);
  }

  /** Whether training should be given up. */
  boolean exhausted(ValidationConfig config) {
    return config.patience() > 0 && withoutGain >= config.patience();
  }
}
