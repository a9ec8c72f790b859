package dev.tandem.sync.agent;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Ends the sleep between two cycles when the program begins to wait for results: from then on
 * nothing comes that could share the cycle. Thread-safe; one thread sleeps.
 *
 * <p>Where a cycle beside the computation hides nothing ({@link dev.tandem.sync.policy.Overlap}),
 * the alarm may be deferring: after a sleep that the program has ended, it is expected to end the
 * next, too, which may then last longer. If it does not, because it learns of its results without
 * waiting for them, it is not expected again until it waits.
 */
public final class CycleAlarm {

  /** By which a sleep is longer whose end the program is expected to bring about. */
  static final long DEFERRED_NANOS = 20_000_000;

  private final boolean deferring;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition rung = lock.newCondition();
  private boolean programWaits;

  /** How often the program has begun to wait. */
  private long calls;

  /** The program has ended the last sleep; known to the thread that sleeps. */
  private boolean expected;

  CycleAlarm(boolean deferring) {
    this.deferring = deferring;
  }

  /** The program begins to wait for results, or has them. */
  void programWaits(boolean waits) {
    lock.lock();
    try {
      programWaits = waits;
      if (waits) {
        calls++;
        rung.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** How often the program has begun to wait so far. */
  long calls() {
    lock.lock();
    try {
      return calls;
    } finally {
      lock.unlock();
    }
  }

  /** All results that the program waited for are there, unless it has begun to wait since. */
  void served(long callsThen) {
    lock.lock();
    try {
      programWaits &= calls != callsThen;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Sleeps until a moment of {@link System#nanoTime}, or until the program waits.
   *
   * @return until when it would have slept had the program not waited
   */
  long sleepUntil(long nanos) {
    long end = expected ? nanos + DEFERRED_NANOS : nanos;
    lock.lock();
    try {
      long left = end - System.nanoTime();
      while (left > 0 && !programWaits) {
        rung.await(left, TimeUnit.NANOSECONDS);
        left = end - System.nanoTime();
      }
      expected = deferring && programWaits;
      return end;
    } catch (InterruptedException e) {
      // Nobody but the synchroniser knows its thread, and it does not interrupt it.
      throw new IllegalStateException(e);
    } finally {
      lock.unlock();
    }
  }
}
