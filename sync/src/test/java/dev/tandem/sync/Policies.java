package dev.tandem.sync;

import dev.tandem.sync.policy.Policy;
import dev.tandem.sync.policy.SyncOptions;
import java.time.Duration;

/** Every policy, with cycles and patience short enough for tests. */
final class Policies {

  private static final Duration CYCLE = Duration.ofNanos(300_000);

  private Policies() {}

  static SyncOptions hasty(String code) {
    SyncOptions options = SyncOptions.of(code);
    return options.with(
        switch (options.policy()) {
          case Policy.Negotiated negotiated -> negotiated.withCycle(CYCLE);
          case Policy.Topological topological ->
              new Policy.Topological(topological.fusionBytes(), hasty(topological.leaving()));
          case Policy.Bucketed bucketed ->
              new Policy.Bucketed(
                  bucketed.bucketBytes(), bucketed.firstBytes(), hasty(bucketed.leaving()));
        });
  }

  private static Policy.Leaving hasty(Policy.Leaving leaving) {
    return new Policy.Leaving(
        Duration.ofMillis(500), Duration.ofMillis(5), 2, leaving.fallback().withCycle(CYCLE));
  }

  /** Ranks that never give up their core need one each. */
  static int mostRanks(String code) {
    return code.equals("baseline-spin") ? 2 : 4;
  }
}
