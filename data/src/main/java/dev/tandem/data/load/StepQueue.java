package dev.tandem.data.load;

import dev.tandem.core.TandemException;
import dev.tandem.data.load.StepWork.Chunk;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the threads of a loader have in common: steps whose records are there, steps that are being
 * worked on or finished, free slots, and the memory that records may take. Thread-safe.
 *
 * <p>Note [Order in the queue]: fetches are reserved, and delivered, in the order of the steps (by
 * tickets); workers begin steps in that order, so the oldest unfinished step always has a slot and
 * its records, and the consumer, which takes the oldest, can never wait for a step that waits for
 * it. A failure is a step of its own in that order: all batches before it come out first.
 */
final class StepQueue {

  private final long recordBudget;
  private final StageMeter meter;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition fetchersMayGoOn = lock.newCondition();
  private final Condition workersMayGoOn = lock.newCondition();
  private final Condition consumerMayGoOn = lock.newCondition();

  // All below under the lock.
  private final Deque<Slot> free;
  private final Deque<StepWork> fetched = new ArrayDeque<>();
  private final Deque<StepWork> begun = new ArrayDeque<>();
  private StepWork current;
  private long bytesInFlight;
  private long nextTicket;
  private long turn;
  private boolean allFetched;
  private boolean closed;

  StepQueue(Collection<Slot> slots, long recordBudget, StageMeter meter) {
    this.free = new ArrayDeque<>(slots);
    this.recordBudget = recordBudget;
    this.meter = meter;
  }

  // For fetchers.

  /** Waits for memory; gives a ticket, or -1 if the loader ends. Called in the order of steps. */
  long reserve(long bytes) {
    lock.lock();
    try {
      while (!closed && !allFetched && bytesInFlight > 0 && bytesInFlight + bytes > recordBudget) {
        fetchersMayGoOn.awaitUninterruptibly();
      }
      if (closed || allFetched) {
        return -1;
      }
      bytesInFlight += bytes;
      return nextTicket++;
    } finally {
      lock.unlock();
    }
  }

  /** The memory that was reserved is another than what the records took. */
  void correct(long difference) {
    lock.lock();
    try {
      bytesInFlight += difference;
    } finally {
      lock.unlock();
    }
  }

  /** Hands steps on in the order of their tickets; false if they are not wanted any more. */
  boolean deliver(long ticket, List<StepWork> works) {
    lock.lock();
    try {
      while (!closed && turn != ticket) {
        fetchersMayGoOn.awaitUninterruptibly();
      }
      boolean wanted = !closed && !allFetched;
      if (wanted) {
        fetched.addAll(works);
        allFetched = works.getFirst().failure() != null;
      }
      turn++;
      fetchersMayGoOn.signalAll();
      workersMayGoOn.signalAll();
      return wanted;
    } finally {
      lock.unlock();
    }
  }

  /** There are no more steps than those of the tickets given. */
  void endAfterLastTicket() {
    lock.lock();
    try {
      while (!closed && turn != nextTicket) {
        fetchersMayGoOn.awaitUninterruptibly();
      }
      allFetched = true;
      workersMayGoOn.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends everything after what was delivered so far. */
  void fail(TandemException cause) {
    lock.lock();
    try {
      fetched.add(StepWork.failed(cause));
      allFetched = true;
      fetchersMayGoOn.signalAll();
      workersMayGoOn.signalAll();
    } finally {
      lock.unlock();
    }
  }

  // For workers.

  /** The next samples to work on, or null if there will be none. */
  Chunk nextChunk() {
    lock.lock();
    try {
      while (!closed) {
        if (current != null && current.hasChunks()) {
          return current.take();
        }
        boolean noRecords = fetched.isEmpty();
        if (noRecords && allFetched) {
          return null;
        }
        if (noRecords || (free.isEmpty() && fetched.peek().failure() == null)) {
          long began = System.nanoTime();
          workersMayGoOn.awaitUninterruptibly();
          meter.workerWaited(noRecords, System.nanoTime() - began);
        } else {
          begin(fetched.poll());
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  private void begin(StepWork work) {
    begun.add(work);
    if (work.failure() != null) {
      consumerMayGoOn.signal();
      return;
    }
    work.begin(free.poll());
    current = work;
    if (work.hasChunks()) {
      workersMayGoOn.signalAll();
    } else {
      // This rank has no samples in this step.
      complete(work);
    }
  }

  /** Notes the outcome of a chunk; true if the caller has to {@code complete} the step. */
  boolean finish(Chunk chunk, Map<Integer, BadRecord> bad, TandemException failure) {
    lock.lock();
    try {
      return chunk.work().finish(chunk, bad, failure);
    } finally {
      lock.unlock();
    }
  }

  /** The step is ready for the consumer. */
  void complete(StepWork step) {
    lock.lock();
    try {
      if (step.group().leave()) {
        bytesInFlight -= step.group().bytes();
        fetchersMayGoOn.signalAll();
      }
      step.setDone();
      consumerMayGoOn.signal();
    } finally {
      lock.unlock();
    }
  }

  // For the consumer.

  /** The next step, finished or failed. The consumer gives it back by {@link #release}. */
  StepWork take() throws InterruptedException {
    long began = System.nanoTime();
    lock.lock();
    try {
      while (begun.isEmpty() || !begun.peek().done()) {
        if (closed) {
          throw new IllegalStateException("the loader is closed");
        }
        consumerMayGoOn.await();
      }
      return begun.poll();
    } finally {
      lock.unlock();
      meter.consumerWaited(System.nanoTime() - began);
    }
  }

  /** Steps that are finished and not taken yet. */
  int finished() {
    lock.lock();
    try {
      return (int) begun.stream().filter(StepWork::done).count();
    } finally {
      lock.unlock();
    }
  }

  /** The memory of a step that was taken may be used for another batch. */
  void release(StepWork work) {
    lock.lock();
    try {
      free.add(work.slot());
      workersMayGoOn.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Everybody stops at the next opportunity. */
  void close() {
    lock.lock();
    try {
      closed = true;
      fetchersMayGoOn.signalAll();
      workersMayGoOn.signalAll();
      consumerMayGoOn.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Closes the blocks that were read and not used up. When no thread is left. */
  void closeBlocks() {
    fetched.addAll(begun);
    fetched.stream().filter(work -> work.group() != null).forEach(work -> work.group().close());
  }
}
