package dev.tandem.data.read;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.PositionalFile;

/**
 * As many threads as requests may be under way at once; they work rounds off in the order in which
 * they were submitted. Plain platform threads with blocking reads: measured as fast as anything
 * else the JVM has, and there at once.
 */
final class RequestThreads implements AutoCloseable {

  /** Is told of the first failure of each thread, which ends it. */
  interface Failures {
    void fail(Throwable failure);
  }

  private final long fileSize;
  private final Failures failures;
  private final Thread[] threads;

  /** The end of the chain of rounds; threads hold their places in it. */
  private ReadRound newest;

  private int unfinished;
  private boolean complete;
  private boolean closed;

  RequestThreads(PositionalFile file, int queueDepth, Failures failures) {
    this.fileSize = file.size();
    this.failures = failures;
    this.newest = new ReadRound(null);
    this.threads = new Thread[queueDepth];
    for (int i = 0; i < queueDepth; i++) {
      threads[i] = new Worker(i, file, newest);
      threads[i].start();
    }
  }

  /** Works off one round; returns when all of it is there. */
  static void readAll(PositionalFile file, ReadRound round, int queueDepth) {
    FirstFailure failures = new FirstFailure();
    try (RequestThreads threads = new RequestThreads(file, queueDepth, failures)) {
      threads.submit(round);
      threads.awaitIdle();
    }
    if (failures.failure != null) {
      throw PrivateRing.rethrown(failures.failure);
    }
  }

  private static final class FirstFailure implements Failures {

    private volatile Throwable failure;

    @Override
    public void fail(Throwable thrown) {
      failure = thrown;
    }
  }

  private final class Worker extends Thread {

    private final PositionalFile file;
    private final ReadRound start;

    Worker(int number, PositionalFile file, ReadRound start) {
      super("tandem-read-".concat(Integer.toString(number)));
      setDaemon(true);
      this.file = file;
      this.start = start;
    }

    @Override
    public void run() {
      try (PositionalFile own = file.again()) {
        work(own, start);
      } catch (Throwable e) {
        failures.fail(e);
        close();
      }
    }
  }

  /** Adds a round; it is under way as soon as threads are free. */
  void submit(ReadRound round) {
    synchronized (this) {
      unfinished += round.count();
      newest.following = round;
      newest = round;
      notifyAll();
    }
    round.finishedIfEmpty();
  }

  /** No round will follow: threads end when all are done, and closing finds none to wait for. */
  synchronized void complete() {
    complete = true;
    notifyAll();
  }

  /** Returns when all requests submitted so far are done. */
  synchronized void awaitIdle() {
    while (unfinished > 0 && !closed) {
      pause();
    }
  }

  private void work(PositionalFile file, ReadRound start) {
    ReadRound round = start;
    while (true) {
      round = following(round);
      if (round == null) {
        return;
      }
      int done = 0;
      for (int i = round.take(); i >= 0; i = round.take()) {
        long position = round.position(i);
        int length = round.length(i);
        // Windows are whole blocks, a file need not be.
        int needed = (int) Math.min(length, fileSize - position);
        file.read(round.target(i), position, needed);
        round.finished();
        done++;
      }
      finished(done);
    }
  }

  private synchronized void finished(int requests) {
    unfinished -= requests;
    if (unfinished == 0) {
      notifyAll();
    }
  }

  private synchronized ReadRound following(ReadRound round) {
    while (round.following == null && !complete && !closed) {
      pause();
    }
    return closed ? null : round.following;
  }

  @SuppressWarnings("WaitNotInLoop") // callers look again
  private void pause() {
    try {
      wait();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while reading", e);
    }
  }

  /** Ends the threads as soon as their requests are done; rounds may stay unfinished. */
  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }

  /** After {@link #close()}: returns when no thread touches memory or file any more. */
  void join() {
    boolean interrupted = false;
    for (Thread thread : threads) {
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
