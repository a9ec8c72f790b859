package dev.tandem.train.config;

import dev.tandem.core.UsageException;
import java.nio.file.Path;

/** Checks of values; failures begin with the key, without the section that it stands in. */
final class Require {

  private Require() {}

  static void atLeast(String key, long least, long value) {
    if (value < least) {
      throw new UsageException("%s is %d, expected %d or more".formatted(key, value, least));
    }
  }

  /** More than 0 and finite. */
  static void positive(String key, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw new UsageException("%s is %s, expected more than 0".formatted(key, value));
    }
  }

  /** 0, which switches something off, or more. */
  static void notNegative(String key, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new UsageException("%s is %s, expected 0 or more".formatted(key, value));
    }
  }

  /** A path that means the same in every working directory; empty stays empty. */
  static String absolute(String path) {
    return path.isEmpty() ? "" : Path.of(path).toAbsolutePath().normalize().toString();
  }
}
