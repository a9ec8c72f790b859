package dev.tandem.spark;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * Spark's cores, given in the order of the requests: a gang that waits for many is not overtaken by
 * tasks that need few. Thread-safe.
 */
final class Room {

  private static final long LOOK_SECONDS = 1;

  private final IntSupplier total;
  private final Deque<Object> waiting = new ArrayDeque<>();
  private int used;

  /** Room for as many as this says, which may change. */
  Room(IntSupplier total) {
    this.total = total;
  }

  /**
   * Waits until there is room, and takes it.
   *
   * @return whether it was taken: not if the request was cancelled
   */
  synchronized boolean take(int cores, BooleanSupplier cancelled) throws InterruptedException {
    Object request = new Object();
    waiting.addLast(request);
    try {
      while (!cancelled.getAsBoolean()) {
        if (request.equals(waiting.peekFirst()) && used + cores <= total.getAsInt()) {
          used += cores;
          return true;
        }
        // Executors come and go without a call here.
        TimeUnit.SECONDS.timedWait(this, LOOK_SECONDS);
      }
      return false;
    } finally {
      waiting.remove(request);
      notifyAll();
    }
  }

  synchronized void give(int cores) {
    used -= cores;
    notifyAll();
  }

  /** Requests look again whether they are cancelled. */
  synchronized void lookAgain() {
    notifyAll();
  }
}
