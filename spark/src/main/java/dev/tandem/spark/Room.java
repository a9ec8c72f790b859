package dev.tandem.spark;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
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
   * @param waits hears what the request waits for, whenever that changes
   * @return whether it was taken: not if the request was cancelled
   */
  boolean take(int cores, Consumer<String> waits, BooleanSupplier cancelled)
      throws InterruptedException {
    Object request = new Object();
    String said = "";
    synchronized (this) {
      waiting.addLast(request);
    }
    try {
      while (!cancelled.getAsBoolean()) {
        String what;
        synchronized (this) {
          what = missing(request, cores);
          if (what.isEmpty()) {
            used += cores;
            return true;
          }
          if (what.equals(said)) {
            // Executors come and go without a call here.
            TimeUnit.SECONDS.timedWait(this, LOOK_SECONDS);
          }
        }
        if (!what.equals(said)) {
          said = what;
          waits.accept(what);
        }
      }
      return false;
    } finally {
      synchronized (this) {
        waiting.remove(request);
        notifyAll();
      }
    }
  }

  private String missing(Object request, int cores) {
    if (!request.equals(waiting.peekFirst())) {
      return "tasks that came first";
    }
    int free = Math.max(0, total.getAsInt() - used);
    return cores <= free
        ? ""
        : "%d Spark cores; %d %s free".formatted(cores, free, free == 1 ? "is" : "are");
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
