package dev.tandem.sync.policy;

import dev.tandem.core.UsageException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What is chosen for a synchroniser; the same on all its ranks.
 *
 * @param stallAfter when a request that others lack is reported
 * @param stallAbort when it makes the synchroniser give up, if ever
 */
public record SyncOptions(
    Policy policy, Partitioning partitioning, Duration stallAfter, Optional<Duration> stallAbort) {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static final Map<String, Supplier<SyncOptions>> BY_CODE = new LinkedHashMap<>();

  static {
    BY_CODE.put("baseline", () -> of(Policy.baseline(Waiting.SPIN_YIELD)));
    BY_CODE.put("baseline-spin", () -> of(Policy.baseline(Waiting.SPIN)));
    BY_CODE.put("baseline-parked", () -> of(Policy.baseline(Waiting.PARKED)));
    BY_CODE.put("gs", () -> of(Policy.globalSleep()));
    BY_CODE.put("nbcs", () -> of(Policy.nonblocking()));
    BY_CODE.put("scp", () -> of(Policy.baseline(Waiting.SPIN_YIELD)).with(Partitioning.STATIC));
    BY_CODE.put("topo", () -> of(Policy.topological()));
    BY_CODE.put("scp-topo", () -> of(Policy.topological()).with(Partitioning.STATIC));
    BY_CODE.put("buckets", () -> of(Policy.bucketed()));
  }

  /** The options that a policy has by default. */
  public static SyncOptions of(Policy policy) {
    return new SyncOptions(policy, Partitioning.NONE, MINUTE, Optional.empty());
  }

  /** The options of this name, such as {@code topo} or {@code baseline-parked}. */
  public static SyncOptions of(String code) {
    Supplier<SyncOptions> options = BY_CODE.get(code);
    if (options == null) {
      throw new UsageException(
          "the synchronisation policy must be one of %s, not '%s'"
              .formatted(String.join(", ", BY_CODE.keySet()), code));
    }
    return options.get();
  }

  /** The names that {@link #of(String)} knows. */
  public static List<String> codes() {
    return List.copyOf(BY_CODE.keySet());
  }

  public SyncOptions with(Policy other) {
    return new SyncOptions(other, partitioning, stallAfter, stallAbort);
  }

  public SyncOptions with(Partitioning other) {
    return new SyncOptions(policy, other, stallAfter, stallAbort);
  }

  public SyncOptions withStalls(Duration after, Optional<Duration> abort) {
    return new SyncOptions(policy, partitioning, after, abort);
  }
}
