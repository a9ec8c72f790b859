package dev.tandem.sync.policy;

import dev.tandem.core.UsageException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * What is chosen for a synchroniser; the same on all its ranks.
 *
 * @param stallAfter when a request that others lack is reported
 * @param stallAbort when it makes the synchroniser give up, if ever
 * @param threading which threads it works in
 */
public record SyncOptions(
    Policy policy,
    Partitioning partitioning,
    Duration stallAfter,
    Optional<Duration> stallAbort,
    Threading threading) {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static final String POOL = "pool";
  private static final String DYNAMIC = "dynamic";

  /** What could follow a plus in earlier versions. */
  private static final Pattern REMOVED =
      Pattern.compile("unfused|overlapped|deferred|transfers[0-9]*");

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

  public SyncOptions {
    if (threading == Threading.SHARED_POOL && partitioning != Partitioning.NONE) {
      throw new UsageException(
          "+pool cannot be combined with scp: threads of a shared pool have no cores of their own");
    }
  }

  /** The options that a policy has by default. */
  public static SyncOptions of(Policy policy) {
    return new SyncOptions(policy, Partitioning.NONE, MINUTE, Optional.empty(), Threading.OWN);
  }

  /**
   * The options of this name, such as {@code topo} or {@code baseline-parked}; {@code topo+pool}
   * works in the shared pool, and the cores of {@code scp+dynamic} move to where they are short.
   */
  public static SyncOptions of(String code) {
    String[] words = code.split("\\+", -1);
    Supplier<SyncOptions> options = BY_CODE.get(words[0]);
    if (options == null) {
      throw new UsageException(
          "the synchronisation policy must be one of %s, not '%s'"
              .formatted(String.join(", ", BY_CODE.keySet()), words[0]));
    }
    SyncOptions chosen = options.get();
    for (int i = 1; i < words.length; i++) {
      chosen = chosen.with(words[i], code);
    }
    return chosen;
  }

  private SyncOptions with(String word, String code) {
    if (word.equals(POOL)) {
      return with(Threading.SHARED_POOL);
    }
    if (word.equals(DYNAMIC) && partitioning != Partitioning.NONE) {
      return with(Partitioning.DYNAMIC);
    }
    throw new UsageException(
        REMOVED.matcher(word).matches()
            ? "synchronisation '%s': +%s was removed; use '%s'"
                .formatted(code, word, code.replace("+" + word, ""))
            : "synchronisation '%s': only +%s, and +%s with scp or scp-topo, may follow a policy, not +%s"
                .formatted(code, POOL, DYNAMIC, word));
  }

  /** The names of policies that {@link #of(String)} knows. */
  public static List<String> codes() {
    return List.copyOf(BY_CODE.keySet());
  }

  /** The name of a policy that partitions cores. */
  public String partitionedCode() {
    return (policy instanceof Policy.Negotiated ? "scp" : "scp-topo")
        + (partitioning == Partitioning.DYNAMIC ? "+" + DYNAMIC : "");
  }

  public SyncOptions with(Policy other) {
    return new SyncOptions(other, partitioning, stallAfter, stallAbort, threading);
  }

  public SyncOptions with(Partitioning other) {
    return new SyncOptions(policy, other, stallAfter, stallAbort, threading);
  }

  public SyncOptions with(Threading other) {
    return new SyncOptions(policy, partitioning, stallAfter, stallAbort, other);
  }

  public SyncOptions withStalls(Duration after, Optional<Duration> abort) {
    return new SyncOptions(policy, partitioning, after, abort, threading);
  }
}
