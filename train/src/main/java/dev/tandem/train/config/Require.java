package dev.tandem.train.config;

import dev.tandem.core.UsageException;

/** Checks of values; failures name the key as it stands in the file. */
final class Require {

  private Require() {}

  static void atLeast(String key, long least, long value) {
    if (value < least) {
      throw new UsageException("%s is %d, not %d or more".formatted(key, value, least));
    }
  }

  /** More than 0 and finite. */
  static void positive(String key, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw new UsageException("%s is %s, not more than 0".formatted(key, value));
    }
  }

  /** 0, which switches something off, or more. */
  static void notNegative(String key, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new UsageException("%s is %s, not 0 or more".formatted(key, value));
    }
  }
}
