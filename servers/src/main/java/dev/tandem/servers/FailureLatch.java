package dev.tandem.servers;

import dev.tandem.core.PeerLostException;
import dev.tandem.core.WorkFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What has become of the servers' part of a rank: the first failure of any of its threads is the
 * failure of all that wait. Thread-safe.
 */
final class FailureLatch {

  private RuntimeException failure;
  private final List<Object> monitors = new ArrayList<>();

  /** Something failed: wakes all threads that wait. */
  void fail(RuntimeException e) {
    List<Object> waiting;
    synchronized (this) {
      if (failure != null) {
        return;
      }
      failure = e;
      waiting = List.copyOf(monitors);
    }
    for (Object monitor : waiting) {
      synchronized (monitor) {
        monitor.notifyAll();
      }
    }
  }

  /** Threads wait at this monitor by {@link #await}. */
  synchronized void watchedBy(Object monitor) {
    monitors.add(monitor);
  }

  /** Throws if anything has failed. */
  synchronized void check() {
    if (failure == null) {
      return;
    }
    // An exception of its own for each thread, so that its stack says what it waited for.
    throw failure instanceof PeerLostException lost
        ? new PeerLostException(lost.lostRank(), reason(lost), lost)
        : new WorkFailedException("the parameter servers failed: " + failure.getMessage(), failure);
  }

  private static String reason(PeerLostException lost) {
    return lost.getMessage().replaceFirst("^lost rank \\d+: ", "");
  }

  /**
   * Waits until something is so; throws if anything has failed.
   *
   * @param monitor which the caller holds, which is watched, and which is notified of changes
   */
  void await(Object monitor, BooleanSupplier until) {
    check();
    try {
      while (!until.getAsBoolean()) {
        monitor.wait();
        check();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while waiting for parameter servers", e);
    }
  }
}
