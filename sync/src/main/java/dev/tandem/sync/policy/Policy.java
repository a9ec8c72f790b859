package dev.tandem.sync.policy;

import dev.tandem.core.UsageException;
import java.time.Duration;

/** How ranks come to transfer the same tensors in the same order. */
public sealed interface Policy {

  /** Bytes that travel together at most, unless one tensor alone is larger. */
  long MEBIBYTE = 1 << 20;

  /**
   * Requests are negotiated in cycles: what all ranks have asked for is transferred. The baseline,
   * and with other settings GS and NBCS.
   *
   * @param cycle the time between the beginnings of two cycles, if there is that much time
   * @param fusionBytes of tensors that travel as one
   * @param cacheEntries responses that need no second negotiation
   * @param waiting in the collectives of the negotiation
   * @param globalSleepEvery after this number of cycles all ranks sleep as long as the one that
   *     sleeps least (GS); 0: each sleeps on its own
   * @param eagerness whether a rank takes part in cycles when it has nothing to ask
   */
  record Negotiated(
      Duration cycle,
      long fusionBytes,
      int cacheEntries,
      Waiting waiting,
      int globalSleepEvery,
      Eagerness eagerness)
      implements Policy {

    public Negotiated {
      if (cycle.isNegative() || fusionBytes < 0 || cacheEntries < 0 || globalSleepEvery < 0) {
        throw new UsageException(
            "cycle time, fusion bytes, cache entries and cycles between global sleeps must not be"
                + " negative");
      }
    }

    public Negotiated withCycle(Duration other) {
      return new Negotiated(other, fusionBytes, cacheEntries, waiting, globalSleepEvery, eagerness);
    }

    public Negotiated withFusionBytes(long other) {
      return new Negotiated(cycle, other, cacheEntries, waiting, globalSleepEvery, eagerness);
    }

    public Negotiated withGlobalSleepEvery(int cycles) {
      return new Negotiated(cycle, fusionBytes, cacheEntries, waiting, cycles, eagerness);
    }
  }

  /** When a rank that negotiates begins a cycle. */
  enum Eagerness {
    /** In every cycle, as the baseline does. */
    ALWAYS,
    /**
     * In every cycle, and at once while the program does nothing but wait for results; where cores
     * are short, only then, as long as the program does wait.
     */
    WHEN_AWAITED,
    /** When it has something to ask; until then it sleeps. */
    WITH_REQUESTS
  }

  /**
   * Transfers follow a plan from the graph of the step; nothing is negotiated (TOPO). Without a
   * graph the first steps are recorded.
   *
   * @param fusionBytes of tensors that travel as one
   * @param leaving when to give the plan up, and when to plan again
   */
  record Topological(long fusionBytes, Leaving leaving) implements Policy {

    public Topological withFusionBytes(long other) {
      return new Topological(other, leaving);
    }
  }

  /**
   * Transfers follow fixed buckets, as PyTorch's DistributedDataParallel forms them.
   *
   * @param bucketBytes when a bucket is full
   * @param firstBytes when the first one is
   */
  record Bucketed(long bucketBytes, long firstBytes, Leaving leaving) implements Policy {}

  /**
   * What happens when a program does not do what was planned.
   *
   * @param patience how long a transfer may wait for a request of this rank after the last one
   * @param patienceAtStepEnd the same when the rank has said that the step has no more
   * @param stableSteps equal steps after which a new plan is made
   * @param fallback how requests are negotiated meanwhile
   */
  record Leaving(
      Duration patience, Duration patienceAtStepEnd, int stableSteps, Negotiated fallback) {

    public Leaving {
      if (stableSteps < 1) {
        throw new UsageException("planning needs at least 1 stable step, not " + stableSteps);
      }
    }
  }

  /** Negotiation as Horovod does it today: 1 ms cycles, 128 MiB buffers, 1,024 cached responses. */
  static Negotiated baseline(Waiting waiting) {
    return new Negotiated(Duration.ofMillis(1), 128 * MEBIBYTE, 1024, waiting, 0, Eagerness.ALWAYS);
  }

  /** The baseline with a globally agreed sleep in every cycle. */
  static Negotiated globalSleep() {
    return baseline(Waiting.SPIN_YIELD).withGlobalSleepEvery(1);
  }

  /**
   * The baseline with nonblocking cache synchronisation; a rank that polls between naps also sees
   * when its own program waits, and begins the next cycle then.
   */
  static Negotiated nonblocking() {
    Negotiated baseline = baseline(Waiting.POLLED);
    return new Negotiated(
        baseline.cycle,
        baseline.fusionBytes,
        baseline.cacheEntries,
        baseline.waiting,
        baseline.globalSleepEvery,
        Eagerness.WHEN_AWAITED);
  }

  /** Plans from the graph, with buffers small enough for transfers during the backward pass. */
  static Topological topological() {
    return new Topological(25 * MEBIBYTE, defaultLeaving());
  }

  /** Buckets of 25 MiB after a first of 1 MiB. */
  static Bucketed bucketed() {
    return new Bucketed(25 * MEBIBYTE, MEBIBYTE, defaultLeaving());
  }

  private static Leaving defaultLeaving() {
    Negotiated quiet =
        new Negotiated(
            Duration.ofMillis(1), 128 * MEBIBYTE, 1024, Waiting.PARKED, 0, Eagerness.WITH_REQUESTS);
    return new Leaving(Duration.ofSeconds(10), Duration.ofMillis(50), 3, quiet);
  }
}
