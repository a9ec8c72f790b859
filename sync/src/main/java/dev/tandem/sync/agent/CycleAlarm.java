package dev.tandem.sync.agent;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Ends the sleep between two cycles when the program begins to wait for results: from then on
 * nothing comes that could share the cycle. Thread-safe; one thread sleeps.
 */
public final class CycleAlarm {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition rung = lock.newCondition();
  private boolean programWaits;

  /** The program begins to wait for results, or has them. */
  void programWaits(boolean waits) {
    lock.lock();
    try {
      programWaits = waits;
      if (waits) {
        rung.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Sleeps until a moment of {@link System#nanoTime}, or until the program waits. */
  void sleepUntil(long nanos) {
    lock.lock();
    try {
      long left = nanos - System.nanoTime();
      while (left > 0 && !programWaits) {
        rung.await(left, TimeUnit.NANOSECONDS);
        left = nanos - System.nanoTime();
      }
    } catch (InterruptedException e) {
      // Nobody but the synchroniser knows its thread, and it does not interrupt it.
      throw new IllegalStateException(e);
    } finally {
      lock.unlock();
    }
  }
}
