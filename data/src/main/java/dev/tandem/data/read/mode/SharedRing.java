package dev.tandem.data.read.mode;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.read.request.RequestThreads;
import dev.tandem.posix.Futex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * A ring in memory that the root and its followers, processes of one host, map together. Waiting is
 * short spinning, then sleeping in the kernel. If a process dies, its launcher ends the others.
 *
 * <p>The first page holds a failure mark, then for each slot the number of its published round, and
 * for each consumer that of the round it released last, each plus one and on a cache line of its
 * own.
 */
final class SharedRing implements SlotRing {

  private static final int PAGE = 4096;
  private static final int LINE = 64;
  private static final int SPINS = 100;

  /** Putting memory into huge pages takes a quarter of a second for each gigabyte. */
  private static final long MOST_HUGE = 256 << 20;

  private static final long NAP = TimeUnit.MILLISECONDS.toNanos(100);
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment control;
  private final RoundSlot[] slots;
  private final int consumers;
  private final Futex futex = Futex.capability().orElseThrow();
  private volatile Throwable failure;
  private volatile boolean closed;

  /**
   * Makes or joins the ring of a group; all its readers call it together.
   *
   * @param group root first, then its followers
   */
  SharedRing(Peers group, RingSize size) {
    this.consumers = group.size();
    int slotBytes = RoundSlot.bytesFor(size.capacity());
    int controlBytes = (LINE * (1 + size.slots() + consumers) + PAGE - 1) & -PAGE;
    long bytes = controlBytes + (long) slotBytes * size.slots();
    MemorySegment memory = GroupMemory.map(group, bytes, Math.min(bytes, MOST_HUGE));
    this.control = memory.asSlice(0, controlBytes);
    this.slots = new RoundSlot[size.slots()];
    for (int i = 0; i < slots.length; i++) {
      MemorySegment slot = memory.asSlice(controlBytes + (long) slotBytes * i, slotBytes);
      slots[i] = new RoundSlot(slot.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN), size.capacity());
    }
  }

  @Override
  public RoundSlot slot(long round) {
    return slots[(int) (round % slots.length)];
  }

  private MemorySegment published(long round) {
    return control.asSlice(LINE * (1 + round % slots.length), Integer.BYTES);
  }

  private MemorySegment released(int consumer) {
    return control.asSlice((long) LINE * (1 + slots.length + consumer), Integer.BYTES);
  }

  @Override
  public void awaitFree(long round) {
    for (int consumer = 0; consumer < consumers; consumer++) {
      await(released(consumer), (int) (round - slots.length) + 1);
    }
  }

  @Override
  public void publish(long round) {
    set(published(round), (int) round + 1);
  }

  @Override
  public void awaitPublished(long round) {
    await(published(round), (int) round + 1);
  }

  @Override
  public void release(int consumer, long round) {
    set(released(consumer), (int) round + 1);
  }

  private void set(MemorySegment word, int value) {
    WORD.setVolatile(word, 0L, value);
    futex.wakeAll(word);
  }

  private void await(MemorySegment word, int value) {
    for (int tries = 0; ; tries++) {
      int seen = (int) WORD.getVolatile(word, 0L);
      if (seen >= value) {
        return;
      }
      requireAlive();
      if (tries < SPINS) {
        Thread.onSpinWait();
      } else {
        futex.await(word, seen, NAP);
      }
    }
  }

  private void requireAlive() {
    if (failure != null) {
      throw RequestThreads.rethrown(failure);
    }
    if (closed || (int) WORD.getVolatile(control, 0L) != 0) {
      throw new WorkFailedException("the root reader of this host has failed or was closed");
    }
  }

  @Override
  public void fail(Throwable cause) {
    failure = cause;
    // A process that sleeps looks at the mark when its nap is over.
    WORD.setVolatile(control, 0L, 1);
  }

  @Override
  public void close() {
    closed = true;
  }
}
