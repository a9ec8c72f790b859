package dev.tandem.comm.transport;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Bounds what a fast sender can pile up at a slow receiver, channel by channel. A sender goes on
 * while at most half the limit is unacknowledged; a receiver acknowledges every quarter of the
 * limit, so what it has not acknowledged yet can never stop the sender for good. Thread-safe.
 */
final class Window {

  private static final long LIMIT = 64L << 20;

  private final Map<Integer, Long> unacknowledged = new HashMap<>();
  private final Map<Integer, Long> taken = new HashMap<>();
  private final Set<Wakeable> waiting = new HashSet<>();

  /**
   * Counts the bytes as sent if the channel may carry more; else the waiter is woken when it may
   * try again.
   */
  synchronized boolean tryAcquire(int channel, long bytes, Wakeable waiter) {
    if (unacknowledged.getOrDefault(channel, 0L) > LIMIT / 2) {
      waiting.add(waiter);
      return false;
    }
    unacknowledged.merge(channel, bytes, Long::sum);
    return true;
  }

  /** The receiver has acknowledged this many bytes. */
  synchronized void acknowledged(int channel, long bytes) {
    unacknowledged.merge(channel, -bytes, Long::sum);
    waiting.forEach(Wakeable::wake);
    waiting.clear();
  }

  /** Counts bytes that were received; returns how many to acknowledge now, or 0. */
  synchronized long received(int channel, long bytes) {
    long sum = taken.merge(channel, bytes, Long::sum);
    if (sum < LIMIT / 4) {
      return 0;
    }
    taken.put(channel, 0L);
    return sum;
  }

  /** Lets all that wait look around. */
  synchronized void nudgeAll() {
    waiting.forEach(Wakeable::wake);
    waiting.clear();
  }
}
