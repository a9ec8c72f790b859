package dev.tandem.servers;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** All shards as one. Clients begin at different shards, so that they do not all queue at one. */
final class ShardedLinks implements Upstream {

  private final Shards shards;
  private final List<Upstream> links;
  private final int begin;

  /**
   * The ways to all shards, in their order.
   *
   * @param begin the shard that comes first
   */
  ShardedLinks(Shards shards, List<Upstream> links, int begin) {
    this.shards = shards;
    this.links = List.copyOf(links);
    this.begin = begin;
  }

  private int shard(int turn) {
    return (begin + turn) % links.size();
  }

  @Override
  public void push(Request.Push push, MemorySegment gradient) {
    for (int turn = 0; turn < links.size(); turn++) {
      int shard = shard(turn);
      links.get(shard).push(push, shards.of(gradient, shard));
    }
  }

  @Override
  public void ask(Request.Ask ask) {
    for (int turn = 0; turn < links.size(); turn++) {
      links.get(shard(turn)).ask(ask);
    }
  }

  /** As fresh as the stalest shard; the first shard knows when to stop. */
  @Override
  public Request.Answer take(MemorySegment target) {
    long version = Long.MAX_VALUE;
    Request.Answer first = null;
    for (int turn = 0; turn < links.size(); turn++) {
      int shard = shard(turn);
      Request.Answer answer = links.get(shard).take(shards.of(target, shard));
      version = Math.min(version, answer.version());
      first = shard == 0 ? answer : first;
    }
    return new Request.Answer(version, first.stopAt(), first.notices());
  }

  @Override
  public void leave() {
    for (int turn = 0; turn < links.size(); turn++) {
      links.get(shard(turn)).leave();
    }
  }
}
