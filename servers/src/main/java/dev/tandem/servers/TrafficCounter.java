package dev.tandem.servers;

import java.util.concurrent.atomic.LongAdder;

/** Counts the bytes that a rank sends to others on behalf of the servers; from any thread. */
final class TrafficCounter {

  private final ServerLayout layout;
  private final int rank;
  private final LongAdder near = new LongAdder();
  private final LongAdder far = new LongAdder();

  TrafficCounter(ServerLayout layout, int rank) {
    this.layout = layout;
    this.rank = rank;
  }

  void sent(int to, long bytes) {
    (layout.isNear(rank, to) ? near : far).add(bytes);
  }

  TrafficBytes reading() {
    return new TrafficBytes(near.sum(), far.sum());
  }
}
