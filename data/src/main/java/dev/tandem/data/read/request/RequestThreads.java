package dev.tandem.data.read.request;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.IoUring;
import dev.tandem.posix.PositionalFile;
import java.util.Optional;

/**
 * As many threads as requests may be under way at once; they work rounds off in the order in which
 * they were submitted. Plain platform threads with blocking reads: for requests of many pages as
 * fast as anything else, and there at once. For short ones a single thread uses the kernel's queue,
 * where there is one: they take less than half the processor time then.
 */
public final class RequestThreads implements AutoCloseable {

  /** Takes the first failure of each thread, which ends it. */
  public interface Failures {
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

  /**
   * Starts them.
   *
   * @param queueDepth requests under way at once
   * @param shortRequests requests are a few pages each
   */
  public RequestThreads(
      PositionalFile file, int queueDepth, boolean shortRequests, Failures failures) {
    this.fileSize = file.size();
    this.failures = failures;
    this.newest = new ReadRound(null);
    this.threads = new Thread[queueDepth];
    start(0, shortRequests ? 1 : queueDepth, file, newest, shortRequests);
  }

  /**
   * @param queued they work by the kernel's queue for all, or start the others if there is none
   */
  private void start(int first, int end, PositionalFile file, ReadRound start, boolean queued) {
    for (int i = first; i < end; i++) {
      threads[i] = new Worker(i, file, start, queued);
      threads[i].start();
    }
  }

  /** Works off one round of short requests; returns when all of it is there. */
  public static void readAll(PositionalFile file, ReadRound round, int queueDepth) {
    FirstFailure failures = new FirstFailure();
    try (RequestThreads threads = new RequestThreads(file, queueDepth, true, failures)) {
      threads.submit(round);
      threads.awaitIdle();
    }
    if (failures.failure != null) {
      throw rethrown(failures.failure);
    }
  }

  /** A failure of another thread, for this one to throw. */
  public static RuntimeException rethrown(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException known
        ? known
        : new WorkFailedException("reading failed: " + failure, failure);
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
    private final boolean queued;

    /**
     * @param queued works by the kernel's queue for all, or starts the others if there is none
     */
    Worker(int number, PositionalFile file, ReadRound start, boolean queued) {
      super("tandem-read-".concat(Integer.toString(number)));
      setDaemon(true);
      this.file = file;
      this.start = start;
      this.queued = queued;
    }

    @Override
    public void run() {
      try (PositionalFile own = file.again()) {
        Optional<IoUring> queue = queued ? own.queue(threads.length) : Optional.empty();
        if (queue.isPresent()) {
          try (IoUring kernel = queue.get()) {
            new QueuedRequests(RequestThreads.this, kernel, threads.length, own).work(start);
          }
          return;
        }
        if (queued) {
          RequestThreads.this.start(1, threads.length, file, start, false);
        }
        work(own, start);
      } catch (Throwable e) {
        failures.fail(e);
        close();
      }
    }
  }

  /** Adds a round; it is under way as soon as threads are free. */
  public void submit(ReadRound round) {
    synchronized (this) {
      unfinished += round.count();
      newest.following = round;
      newest = round;
      notifyAll();
    }
    round.finishedIfEmpty();
  }

  /** No round will follow: threads end when all are done, and closing finds none to wait for. */
  public synchronized void complete() {
    complete = true;
    notifyAll();
  }

  /** Returns when all requests submitted so far are done. */
  public synchronized void awaitIdle() {
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
        read(file, round, i);
        round.finished();
        done++;
      }
      finished(done);
    }
  }

  /** Does one request, whole. */
  public void read(PositionalFile file, ReadRound round, int request) {
    long position = round.position(request);
    // Windows are whole blocks, a file need not be.
    int needed = (int) Math.min(round.length(request), fileSize - position);
    file.read(round.target(request), position, needed);
  }

  /** This many requests are done. */
  public synchronized void finished(int requests) {
    unfinished -= requests;
    if (unfinished == 0) {
      notifyAll();
    }
  }

  /** Waits for the round after this one; null if there will be none. */
  public synchronized ReadRound following(ReadRound round) {
    while (round.following == null && !complete && !closed) {
      pause();
    }
    return closed ? null : round.following;
  }

  /** The round after this one, or null if there is none yet. */
  public synchronized ReadRound followingNow(ReadRound round) {
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
  public void join() {
    boolean interrupted = false;
    // The first one, if it starts the others, does so before it ends.
    for (Thread thread : threads) {
      while (thread != null && thread.isAlive()) {
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
