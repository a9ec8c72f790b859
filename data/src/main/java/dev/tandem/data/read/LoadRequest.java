package dev.tandem.data.read;

import dev.tandem.core.UsageException;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.read.mode.CachePolicy;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ReadMode;

/**
 * How a loader wants the records of a data set. Which records, for which rank and in which step is
 * the loader's plan; this says how their bytes come into memory.
 *
 * @param shuffle the order in which the loader asks for them
 * @param epochs how often it goes through all of them
 */
public record LoadRequest(
    ReadMode mode, CachePolicy cache, Locate locate, Shuffle shuffle, double epochs) {

  public LoadRequest {
    if (mode.keyOrder() && !(shuffle instanceof Shuffle.None)) {
      throw new UsageException(
          "read mode %s reads in key order and cannot serve shuffle '%s': use shuffle none, or mode auto"
              .formatted(mode.code(), shuffle));
    }
    mode.check(locate);
  }
}
