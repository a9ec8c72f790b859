package dev.tandem.checkpoint;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Work that goes on in a thread of its own while the caller does something else. */
final class Meanwhile {

  private final FutureTask<Void> task;

  private Meanwhile(Runnable work) {
    task = new FutureTask<>(work, null);
  }

  static Meanwhile start(Runnable work) {
    Meanwhile meanwhile = new Meanwhile(work);
    Thread.ofPlatform().daemon().name("checkpoint-meanwhile").start(meanwhile.task);
    return meanwhile;
  }

  /** Returns when the work is done; what went wrong there is thrown here. */
  void await() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          task.get();
          return;
        } catch (InterruptedException e) {
          // A half-written checkpoint is of no use, so an interrupt takes effect after it.
          interrupted = true;
        } catch (ExecutionException e) {
          throw e.getCause() instanceof RuntimeException cause
              ? cause
              : new IllegalStateException(e.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
