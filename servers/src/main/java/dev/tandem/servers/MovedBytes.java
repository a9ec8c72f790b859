package dev.tandem.servers;

import java.util.concurrent.atomic.LongAdder;

/** Counts the bytes that a rank sends to others on behalf of the servers; from any thread. */
final class MovedBytes {

  private final ServerLayout layout;
  private final int rank;
  private final LongAdder near = new LongAdder();
  private final LongAdder far = new LongAdder();

  MovedBytes(ServerLayout layout, int rank) {
    this.layout = layout;
    this.rank = rank;
  }

  void sent(int to, long bytes) {
    (layout.isNear(rank, to) ? near : far).add(bytes);
  }

  Moved reading() {
    return new Moved(near.sum(), far.sum());
  }
}
