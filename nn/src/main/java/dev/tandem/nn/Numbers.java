package dev.tandem.nn;

import dev.tandem.core.UsageException;

/** What optimizers and schedules ask of their settings. */
final class Numbers {

  private Numbers() {}

  static void share(String what, double value) {
    if (!(value >= 0 && value < 1)) {
      throw new UsageException(what + " is from 0 to less than 1, not " + value);
    }
  }

  static void notNegative(String what, double value) {
    if (!(value >= 0)) {
      throw new UsageException(what + " is 0 or more, not " + value);
    }
  }

  static void positive(String what, double value) {
    if (!(value > 0)) {
      throw new UsageException(what + " is more than 0, not " + value);
    }
  }
}
