package dev.tandem.servers;

import dev.tandem.core.UsageException;

/**
 * What is chosen for parameter servers; the same on all ranks.
 *
 * @param staleness how many steps a worker may be ahead of the slowest; with 0 training is
 *     synchronous
 * @param rule how servers change parameters
 */
public record ServerSettings(ServerLayout layout, int staleness, UpdateRule rule) {

  public ServerSettings {
    if (staleness < 0) {
      throw new UsageException("the staleness must be 0 or more, not " + staleness);
    }
  }
}
