package dev.tandem.comm.transport;

import java.util.HashMap;
import java.util.Map;

/**
 * Bounds what a fast sender can pile up at a slow receiver, channel by channel. A sender goes on
 * while at most half the limit is unacknowledged; a receiver acknowledges every quarter of the
 * limit, so what it has not acknowledged yet can never stop the sender for good. Thread-safe.
 */
final class Window {

  private static final long LIMIT = 64L << 20;

  private final Map<Integer, Long> unacknowledged = new HashMap<>();
  private final Map<Integer, Long> taken = new HashMap<>();

  /**
   * Waits until the channel may carry more, then counts the bytes as sent.
   *
   * @param trouble throws if there is no more hope; asked whenever the waiter is woken
   */
  synchronized void acquire(int channel, long bytes, Runnable trouble) {
    boolean interrupted = false;
    while (unacknowledged.getOrDefault(channel, 0L) > LIMIT / 2) {
      trouble.run();
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    unacknowledged.merge(channel, bytes, Long::sum);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The receiver has acknowledged so many bytes. */
  synchronized void acknowledged(int channel, long bytes) {
    unacknowledged.merge(channel, -bytes, Long::sum);
    notifyAll();
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
    notifyAll();
  }
}
