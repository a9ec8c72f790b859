package dev.tandem.sync.tune;

import dev.tandem.core.UsageException;
import dev.tandem.sync.policy.Policy;
import dev.tandem.sync.policy.SyncOptions;
import java.time.Duration;
import java.util.Locale;

/**
 * Something to choose.
 *
 * @param code of the policy, as {@link SyncOptions#of(String)} knows it
 * @param cycleNanos of policies that negotiate; 0 for those that plan
 * @param fusionBytes of tensors that travel as one
 */
record Candidate(String code, long cycleNanos, long fusionBytes) {

  /** The policy of this name as it is by default. */
  static Candidate of(String code) {
    return switch (SyncOptions.of(code).policy()) {
      case Policy.Negotiated negotiated ->
          new Candidate(code, negotiated.cycle().toNanos(), negotiated.fusionBytes());
      case Policy.Topological topological -> new Candidate(code, 0, topological.fusionBytes());
      case Policy.Bucketed bucketed -> new Candidate(code, 0, bucketed.bucketBytes());
    };
  }

  Candidate withCycleNanos(long other) {
    return new Candidate(code, other, fusionBytes);
  }

  Candidate withFusionBytes(long other) {
    return new Candidate(code, cycleNanos, other);
  }

  /** Whether it has cycles. */
  boolean negotiates() {
    return cycleNanos > 0;
  }

  SyncOptions options() {
    SyncOptions options = SyncOptions.of(code);
    return options.with(
        switch (options.policy()) {
          case Policy.Negotiated negotiated ->
              negotiated.withCycle(Duration.ofNanos(cycleNanos)).withFusionBytes(fusionBytes);
          case Policy.Topological topological -> topological.withFusionBytes(fusionBytes);
          case Policy.Bucketed bucketed ->
              new Policy.Bucketed(
                  fusionBytes, Math.min(bucketed.firstBytes(), fusionBytes), bucketed.leaving());
        });
  }

  /** In three words, as {@link #parse} reads them. */
  String words() {
    return "%s %d %d".formatted(code, cycleNanos, fusionBytes);
  }

  /** Reads {@link #words}; fails with {@link UsageException} if nobody can have written them. */
  static Candidate parse(String words) {
    String[] parts = words.split(" ", -1);
    try {
      if (parts.length == 3) {
        Candidate read =
            new Candidate(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2]));
        boolean negotiates = read.options().policy() instanceof Policy.Negotiated;
        if (read.fusionBytes >= 0 && read.cycleNanos >= 0 && negotiates == read.negotiates()) {
          return read;
        }
      }
    } catch (NumberFormatException e) {
      // As below.
    }
    throw new UsageException("not a policy with cycle and cap: '%s'".formatted(words));
  }

  @Override
  public String toString() {
    String cap = String.format(Locale.ROOT, "%.2f MiB at a time", fusionBytes / 0x1p20);
    return negotiates()
        ? String.format(Locale.ROOT, "%s, cycles of %.2f ms, %s", code, cycleNanos / 1e6, cap)
        : code + ", " + cap;
  }
}
