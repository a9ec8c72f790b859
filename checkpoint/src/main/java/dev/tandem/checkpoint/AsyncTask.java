package dev.tandem.checkpoint;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Work that runs in another thread while the caller does something else. */
final class AsyncTask {

  /** Longer than most pauses between checkpoints that are written often. */
  private static final long IDLE_SECONDS = 60;

  private final FutureTask<Void> task;

  private AsyncTask(Runnable work) {
    task = new FutureTask<>(work, null);
  }

  /** Threads for such work, as many as are needed at a time; idle ones end after a while. */
  static Executor threads() {
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        Thread.ofPlatform().daemon().name("checkpoint-async-", 0).factory());
  }

  static AsyncTask start(Executor threads, Runnable work) {
    AsyncTask started = new AsyncTask(work);
    threads.execute(started.task);
    return started;
  }

  /** Returns when the work is done; what went wrong there is thrown here. */
  void await() {
    Uninterrupted.run(
        () -> {
          try {
            var _ = task.get();
          } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause
                ? cause
                : new IllegalStateException(e.getCause());
          }
        });
  }
}
