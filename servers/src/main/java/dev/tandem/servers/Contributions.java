package dev.tandem.servers;

import dev.tandem.comm.reduce.Reduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The gradients that clients have pushed for one clock, kept apart so that they are summed in the
 * order of clients, whatever the order of arrival. For one thread at a time.
 */
final class Contributions {

  /** Memory for gradients, used again and again. */
  static final class Pool {

    private final long bytes;
    private final Deque<MemorySegment> free = new ArrayDeque<>();

    Pool(long bytes) {
      this.bytes = bytes;
    }

    private MemorySegment take() {
      MemorySegment segment = free.poll();
      return segment == null ? Arena.ofAuto().allocate(bytes, 64) : segment;
    }
  }

  private final Pool pool;
  private final MemorySegment[] ofClients;
  private double rate;
  private long notices;

  Contributions(int clients, Pool pool) {
    this.pool = pool;
    ofClients = new MemorySegment[clients];
  }

  /** Keeps a copy. */
  void add(int client, Request.Push push, MemorySegment gradient) {
    ofClients[client] = pool.take().copyFrom(gradient);
    rate = push.rate();
    notices |= push.notices();
  }

  boolean empty() {
    for (MemorySegment one : ofClients) {
      if (one != null) {
        return false;
      }
    }
    return true;
  }

  /** Whether all that have not left have contributed. */
  boolean complete(Clocks clocks) {
    for (int client = 0; client < ofClients.length; client++) {
      if (ofClients[client] == null && !clocks.left(client)) {
        return false;
      }
    }
    return !empty();
  }

  /** Sums in the order of clients. */
  void sum(Reduction reduction, MemorySegment target) {
    List<MemorySegment> terms = new ArrayList<>();
    for (MemorySegment one : ofClients) {
      if (one != null) {
        terms.add(one);
      }
    }
    reduction.reduce(terms, target);
  }

  /** The rate of learning, the same for all. */
  double rate() {
    return rate;
  }

  /** The notices of all of them. */
  long notices() {
    return notices;
  }

  /** Gives the memory back and is empty. */
  void clear() {
    for (int client = 0; client < ofClients.length; client++) {
      if (ofClients[client] != null) {
        pool.free.add(ofClients[client]);
        ofClients[client] = null;
      }
    }
    notices = 0;
  }
}
