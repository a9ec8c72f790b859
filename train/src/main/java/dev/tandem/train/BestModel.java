package dev.tandem.train;

import dev.tandem.train.config.ValidationConfig;

/**
 * The best validation so far and how long ago it was; immutable.
 *
 * @param score of the best, the higher the better: its accuracy, or minus its loss
 * @param step after which it was
 * @param withoutGain validations since
 */
record BestModel(double score, long step, int withoutGain) {

  static final BestModel NONE = new BestModel(-1, 0, 0);

  /** After another validation. */
  BestModel after(double newScore, long newStep, ValidationConfig config) {
    boolean gain = this.equals(NONE) || newScore > score + config.leastGain();
    return gain ? new BestModel(newScore, newStep, 0) : new BestModel(score, step, withoutGain + 1);
  }

  /** Whether training should be given up. */
  boolean exhausted(ValidationConfig config) {
    return config.patience() > 0 && withoutGain >= config.patience();
  }
}
