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
 * @param threading which threads it works in
 * @param transfersAtOnce how many transfers may be under way side by side, each with a thread of
 *     its own; they begin in the same order on all ranks and may end in any
 * @param overlap whether planned transfers, and cycles that begin when the program waits, run while
 *     it computes
 */
public record SyncOptions(
    Policy policy,
    Partitioning partitioning,
    Duration stallAfter,
    Optional<Duration> stallAbort,
    Threading threading,
    int transfersAtOnce,
    Overlap overlap) {

  private static final int MOST_TRANSFERS = 16;
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static final String POOL = "pool";
  private static final String UNFUSED = "unfused";
  private static final String TRANSFERS = "transfers";
  private static final String OVERLAPPED = "overlapped";
  private static final String DEFERRED = "deferred";

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
    if (transfersAtOnce < 1 || transfersAtOnce > MOST_TRANSFERS) {
      throw new UsageException(
          "transfers at once must be 1 to %d, not %d".formatted(MOST_TRANSFERS, transfersAtOnce));
    }
    if (threading == Threading.SHARED_POOL && transfersAtOnce > 1) {
      // Each holds a carrier while it waits for other ranks: ranks could wait in different ones.
      throw new UsageException(
          "threads that share one pool transfer one after the other: choose pool or transfers");
    }
    if (threading == Threading.SHARED_POOL && partitioning != Partitioning.NONE) {
      throw new UsageException(
          "threads that share one pool cannot have cores of their own: choose pool or scp");
    }
  }

  /** The options that a policy has by default. */
  public static SyncOptions of(Policy policy) {
    return new SyncOptions(
        policy,
        Partitioning.NONE,
        MINUTE,
        Optional.empty(),
        Threading.OWN,
        1,
        Overlap.WHERE_PROCESSORS_ARE_FREE);
  }

  /**
   * The options of this name, such as {@code topo} or {@code baseline-parked}, and what is added to
   * it: {@code topo+pool} works in the shared pool, {@code topo+unfused} sends every tensor by
   * itself, {@code topo+transfers4} has four transfers at once, {@code topo+overlapped} and {@code
   * topo+deferred} say when planned transfers run.
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
    if (word.equals(UNFUSED)) {
      return with(policy.unfused());
    }
    if (word.equals(OVERLAPPED)) {
      return with(Overlap.ALWAYS);
    }
    if (word.equals(DEFERRED)) {
      return with(Overlap.NEVER);
    }
    if (word.matches(TRANSFERS + "[0-9]{1,4}")) {
      return withTransfersAtOnce(Integer.parseInt(word.substring(TRANSFERS.length())));
    }
    throw new UsageException(
        "synchronisation '%s': behind a + is %s, %s, %s, %s or %s with a number, not '%s'"
            .formatted(code, POOL, UNFUSED, OVERLAPPED, DEFERRED, TRANSFERS, word));
  }

  /** The names of policies that {@link #of(String)} knows. */
  public static List<String> codes() {
    return List.copyOf(BY_CODE.keySet());
  }

  public SyncOptions with(Policy other) {
    return new SyncOptions(
        other, partitioning, stallAfter, stallAbort, threading, transfersAtOnce, overlap);
  }

  public SyncOptions with(Partitioning other) {
    return new SyncOptions(
        policy, other, stallAfter, stallAbort, threading, transfersAtOnce, overlap);
  }

  public SyncOptions with(Threading other) {
    return new SyncOptions(
        policy, partitioning, stallAfter, stallAbort, other, transfersAtOnce, overlap);
  }

  public SyncOptions with(Overlap other) {
    return new SyncOptions(
        policy, partitioning, stallAfter, stallAbort, threading, transfersAtOnce, other);
  }

  public SyncOptions withTransfersAtOnce(int count) {
    return new SyncOptions(policy, partitioning, stallAfter, stallAbort, threading, count, overlap);
  }

  public SyncOptions withStalls(Duration after, Optional<Duration> abort) {
    return new SyncOptions(policy, partitioning, after, abort, threading, transfersAtOnce, overlap);
  }
}
