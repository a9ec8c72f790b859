package dev.tandem.nn;

import dev.tandem.core.UsageException;

/** What optimizers and schedules ask of their settings. */
final class Numbers {

  private Numbers() {}

  static void share(String key, double value) {
    if (!(value >= 0 && value < 1)) {
      throw new UsageException(key + " is " + value + ", expected 0 to less than 1");
    }
  }

  static void notNegative(String key, double value) {
    if (!(value >= 0)) {
      throw new UsageException(key + " is " + value + ", expected 0 or more");
    }
  }

  static void positive(String key, double value) {
    if (!(value > 0)) {
      throw new UsageException(key + " is " + value + ", expected more than 0");
    }
  }
}
