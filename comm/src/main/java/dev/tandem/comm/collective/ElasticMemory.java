package dev.tandem.comm.collective;

import java.util.HashMap;
import java.util.Map;

/**
 * What elastic reductions of one team need again and again: their plans, and native memory. For one
 * thread at a time.
 */
final class ElasticMemory implements AutoCloseable {

  private final int ranks;
  private final int rank;
  private final Map<Integer, ElasticPlan> plans = new HashMap<>();
  private final Scratch kept = new Scratch();
  private final Scratch outgoing = new Scratch();
  private final Scratch incoming = new Scratch();
  private final Scratch wideShards = new Scratch();
  private final Scratch wideResult = new Scratch();

  ElasticMemory(int ranks, int rank) {
    this.ranks = ranks;
    this.rank = rank;
  }

  ElasticPlan plan(int shards) {
    return plans.computeIfAbsent(shards, count -> new ElasticPlan(count, ranks, rank));
  }

  /** For terms that are kept while others are computed. */
  Scratch kept() {
    return kept;
  }

  /** For nodes that go to others. */
  Scratch outgoing() {
    return outgoing;
  }

  /** For nodes that come from others. */
  Scratch incoming() {
    return incoming;
  }

  Scratch wideShards() {
    return wideShards;
  }

  Scratch wideResult() {
    return wideResult;
  }

  @Override
  public void close() {
    kept.close();
    outgoing.close();
    incoming.close();
    wideShards.close();
    wideResult.close();
  }
}
