package dev.tandem.data.read.mode;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.read.request.RequestThreads;
import dev.tandem.posix.HugeMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A ring for one consumer, of the producer's own process. */
final class PrivateRing implements SlotRing {

  /** The JVM has a limit for usual memory outside its heap, which so large slots might meet. */
  private static final int LARGE = 64 << 20;

  private final RoundSlot[] slots;
  private final int capacity;
  private final boolean longRequests;
  private final long[] published;
  private long released = -1;
  private Throwable failure;
  private boolean closed;

  /**
   * @param capacity bytes of data a slot
   * @param longRequests whether huge pages are worth the foreign calls that get them, which take a
   *     new JVM some 30 ms; requests for a few pages do without
   */
  PrivateRing(int slots, int capacity, boolean longRequests) {
    this.slots = new RoundSlot[slots];
    this.capacity = capacity;
    this.longRequests = longRequests;
    this.published = new long[slots];
    Arrays.fill(published, -1);
  }

  private int place(long round) {
    return (int) (round % slots.length);
  }

  @Override
  public synchronized RoundSlot slot(long round) {
    int place = place(round);
    if (slots[place] == null) {
      // Memory costs time to get: the first round is under way before the last slot is needed.
      int bytes = RoundSlot.bytesFor(capacity);
      slots[place] = new RoundSlot(memory(bytes).order(ByteOrder.LITTLE_ENDIAN), capacity);
    }
    return slots[place];
  }

  private ByteBuffer memory(int bytes) {
    try {
      return longRequests || bytes >= LARGE
          ? HugeMemory.allocate(bytes)
          : RoundSlot.allocate(bytes);
    } catch (OutOfMemoryError e) {
      throw new WorkFailedException(
          "no memory for %d times %,d bytes to read into: give a smaller --budget, --batch or --block"
              .formatted(slots.length, bytes),
          e);
    }
  }

  @Override
  public synchronized void awaitFree(long round) {
    while (released < round - slots.length && !closed) {
      pause();
    }
    if (closed) {
      throw new WorkFailedException("the reader was closed");
    }
  }

  @Override
  public synchronized void publish(long round) {
    published[place(round)] = round;
    notifyAll();
  }

  @Override
  public synchronized void awaitPublished(long round) {
    while (published[place(round)] != round) {
      if (failure != null) {
        throw RequestThreads.rethrown(failure);
      }
      pause();
    }
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

  @Override
  public synchronized void release(int consumer, long round) {
    released = round;
    notifyAll();
  }

  @Override
  public synchronized void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
    notifyAll();
  }

  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
