package dev.tandem.comm;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * An operation that was started and goes on by itself. Thread-safe.
 *
 * <p>The memory of the operation stays borrowed until it is done, also if a wait timed out.
 */
public final class Handle {

  private final CountDownLatch done = new CountDownLatch(1);
  private final Runnable operation;
  private volatile RuntimeException failure;

  Handle(Runnable operation) {
    this.operation = operation;
  }

  void run() {
    try {
      operation.run();
    } catch (RuntimeException e) {
      failure = e;
    } finally {
      done.countDown();
    }
  }

  /** Whether it is done; throws what it failed with. */
  public boolean test() {
    if (done.getCount() > 0) {
      return false;
    }
    if (failure != null) {
      throw failure;
    }
    return true;
  }

  /** Waits until it is done; throws what it failed with. */
  public void await() {
    settle();
    test();
  }

  /** Waits until it is done, well or not. */
  void settle() {
    boolean interrupted = false;
    while (true) {
      try {
        done.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits at most so long; says whether it is done. */
  public boolean await(Duration limit) throws InterruptedException {
    return done.await(limit.toNanos(), TimeUnit.NANOSECONDS) && test();
  }
}
