package dev.tandem.servers;

import dev.tandem.core.UsageException;

/**
 * What is chosen for parameter servers; the same on all ranks.
 *
 * @param staleness how many steps a worker may be ahead of the slowest; with 0 training is
 *     synchronous
 * @param rule how servers change parameters
 * @param compensate with a staleness above 0, adapt the rule to gradients that come late and weigh
 *     those less that come very late; see {@code Note [late gradients]} in {@link ShardStore}
 */
public record ServerSettings(
    ServerLayout layout, int staleness, UpdateRule rule, boolean compensate) {

  public ServerSettings {
    if (staleness < 0) {
      throw new UsageException("the staleness must be 0 or more, not " + staleness);
    }
  }

  /** Settings that compensate. */
  public ServerSettings(ServerLayout layout, int staleness, UpdateRule rule) {
    this(layout, staleness, rule, true);
  }
}
