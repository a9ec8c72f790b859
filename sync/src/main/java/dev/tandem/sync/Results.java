package dev.tandem.sync;

import dev.tandem.sync.request.Completion;
import dev.tandem.sync.request.Outcome;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Counts completions that somebody waits for. Thread-safe. */
final class Results implements Completion {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition allDone = lock.newCondition();
  private int missing;
  private Outcome worst = Outcome.completed();

  /** One completion more will come. */
  void expect() {
    add(1);
  }

  /** One that was expected will not come. */
  void unexpect() {
    add(-1);
  }

  private void add(int number) {
    lock.lock();
    try {
      missing += number;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void done(Outcome outcome) {
    lock.lock();
    try {
      if (worst instanceof Outcome.Completed) {
        worst = outcome;
      }
      missing--;
      if (missing == 0) {
        allDone.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether all that are expected have come. */
  boolean complete() {
    lock.lock();
    try {
      return missing == 0;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for all that are expected; throws the first failure among them, once. */
  void await() {
    Outcome outcome;
    lock.lock();
    try {
      while (missing > 0) {
        allDone.awaitUninterruptibly();
      }
      outcome = worst;
      worst = Outcome.completed();
    } finally {
      lock.unlock();
    }
    outcome.orThrow();
  }
}
