package dev.tandem.data.load;

import dev.tandem.data.order.Position;
import dev.tandem.data.order.Step;

/**
 * Which part of the order a loader serves.
 *
 * @param shards parts into which each step is cut, each of which one rank has as a whole: rank r
 *     has the r-th of as many runs of shards as there are ranks, where the first runs have one
 *     shard more if it does not come out even. As many as ranks, or more where the cut must not
 *     depend on the number of ranks.
 * @param from where it begins
 * @param steps how many steps it gives
 */
public record Plan(int rank, int ranks, int shards, Position from, long steps) {

  public Plan {
    if (ranks < 1 || rank < 0 || rank >= ranks || shards < ranks || steps < 0) {
      throw new IllegalArgumentException(
          "no plan: rank %d of %d for %d shards, %d steps".formatted(rank, ranks, shards, steps));
    }
  }

  /** One shard for each rank. */
  public Plan(int rank, int ranks, Position from, long steps) {
    this(rank, ranks, ranks, from, steps);
  }

  /** The only rank, from the start. */
  public static Plan alone(long steps) {
    return new Plan(0, 1, Position.START, steps);
  }

  /** The same cut for another rank or among other ranks; one shard for each rank stays that. */
  Plan among(int otherRank, int otherRanks, Position otherFrom, long otherSteps) {
    int cut = shards == ranks ? otherRanks : shards;
    return new Plan(otherRank, otherRanks, cut, otherFrom, otherSteps);
  }

  /** The first shard of this rank. */
  public int firstShard() {
    return firstShard(rank);
  }

  /** The shard after this rank's last. */
  public int endShard() {
    return firstShard(rank + 1);
  }

  /** What this rank has of a step: its shards one after the other. */
  public Step.Share share(Step step) {
    long first = step.share(firstShard(), shards).from();
    Step.Share last = step.share(endShard() - 1, shards);
    return new Step.Share(first, (int) (last.from() + last.count() - first));
  }

  /** The most samples that this rank can have of a step of this size. */
  int largestShare(int step) {
    return Math.min(step, Math.ceilDiv(step, shards) * (endShard() - firstShard()));
  }

  private int firstShard(int of) {
    return of * (shards / ranks) + Math.min(of, shards % ranks);
  }
}
