package dev.tandem.data.share;

import java.util.ArrayList;
import java.util.List;

/**
 * The threads of one process that prepare samples for all: its own, and those that other processes
 * took with them when they left, so that what processors they freed prepares for those that stay.
 * Any thread.
 */
final class PreparationThreads {

  /** Makes one of the threads' work. */
  @FunctionalInterface
  interface Work {
    Runnable of(PreparationThreads all, int index);
  }

  private final ShareArea area;
  private final int own;
  private final Work work;
  private final List<Thread> threads = new ArrayList<>();
  private volatile int wanted;
  private boolean ended;

  private PreparationThreads(ShareArea area, int own, Work work) {
    this.area = area;
    this.own = own;
    this.work = work;
    this.wanted = own;
  }

  /**
   * Starts threads.
   *
   * @param own of this process
   */
  static PreparationThreads start(ShareArea area, int own, Work work) {
    PreparationThreads all = new PreparationThreads(area, own, work);
    all.startMissing();
    return all;
  }

  private synchronized void startMissing() {
    for (int index = 0; index < wanted && !ended; index++) {
      if (index == threads.size()) {
        threads.add(null);
      }
      if (threads.get(index) == null || !threads.get(index).isAlive()) {
        Thread thread =
            Thread.ofPlatform().daemon().name("share-prepare-" + index).start(work.of(this, index));
        threads.set(index, thread);
      }
    }
  }

  /** Whether the thread of an index is to go on. */
  boolean wants(int index) {
    return index < wanted;
  }

  /** Takes over threads that have left, and gives back those that came again. */
  void follow() {
    int now = own + area.participants().threadsToTakeOver();
    if (now != wanted) {
      wanted = now;
      area.participants().threadsNow(now);
    }
    if (now > own) {
      startMissing(); // also one that was just about to end
    }
  }

  /** Waits until all have ended, whose ring was closed. */
  void join() {
    List<Thread> all;
    synchronized (this) {
      ended = true;
      all = List.copyOf(threads);
    }
    boolean interrupted = false;
    for (Thread thread : all) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
