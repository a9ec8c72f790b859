package dev.tandem.bench.sync;

import dev.tandem.sync.policy.Policy;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.policy.Threading;
import java.time.Duration;
import java.util.Locale;

/**
 * Some steps under one policy.
 *
 * @param policy as {@link SyncOptions#of(String)} names it, or {@link SyncEffort#NONE}
 * @param cycleMillis of policies that negotiate
 */
record SyncTurn(String policy, SyncInput input, double cycleMillis) {

  /** Whether gradients are summed at all. */
  boolean synchronises() {
    return !policy.equals(SyncEffort.NONE);
  }

  /** The options, with the cycle time of this turn, if it {@link #synchronises}. */
  SyncOptions options() {
    SyncOptions options = SyncOptions.of(policy);
    Duration cycle = Duration.ofNanos((long) (cycleMillis * 1e6));
    return options.policy() instanceof Policy.Negotiated negotiated
        ? options.with(negotiated.withCycle(cycle))
        : options;
  }

  /** Whether background and input threads share one pool. */
  boolean sharesPool() {
    return sharesPool(policy);
  }

  static boolean sharesPool(String policy) {
    return !policy.equals(SyncEffort.NONE)
        && SyncOptions.of(policy).threading() == Threading.SHARED_POOL;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s %s %.1f", policy, input.code(), cycleMillis);
  }

  static SyncTurn of(String policy, String input, String cycleMillis) {
    return new SyncTurn(policy, SyncInput.of(input), Double.parseDouble(cycleMillis));
  }
}
