package dev.tandem.comm;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Runs the started operations of one communicator in the order they were started. */
final class ProgressThread implements AutoCloseable {

  private final String name;
  private final BlockingQueue<Handle> queue = new LinkedBlockingQueue<>();
  private final Handle end = new Handle(() -> {});
  private volatile Handle last = new Handle(() -> {});
  private Thread thread;
  private boolean closed;

  ProgressThread(int rank) {
    this.name = "tandem-progress-" + rank;
    last.run();
  }

  synchronized Handle start(Runnable operation) {
    if (closed) {
      throw new IllegalStateException("the communicator is closed");
    }
    if (thread == null) {
      thread = Thread.ofPlatform().daemon().name(name).start(this::runAll);
    }
    Handle handle = new Handle(operation);
    last = handle;
    queue.add(handle);
    return handle;
  }

  private void runAll() {
    try {
      Handle handle = queue.take();
      while (handle != end) {
        handle.run();
        handle = queue.take();
      }
    } catch (InterruptedException e) {
      // Nobody but this class knows the thread, and it does not interrupt it.
      throw new IllegalStateException(e);
    }
  }

  /** Waits until everything started so far is done, well or not. */
  void drain() {
    last.settle();
  }

  @Override
  public void close() {
    drain();
    synchronized (this) {
      closed = true;
      queue.add(end);
    }
  }
}
