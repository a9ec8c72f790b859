package dev.tandem.comm.transport;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes whole frames to a connection, from any thread, and never waits for it.
 *
 * <p>Who has a large payload takes the turn ({@link #take}), begins its frame and pushes until it
 * is finished. Small frames without payload of the program ({@link #post}) queue up and leave
 * before the next large one; the thread that has the turn takes them along.
 */
final class FrameWriter {

  /** Payloads up to this size are copied after their header and leave with it. */
  private static final int SMALL_BYTES = 16 << 10;

  private static final int AHEAD_BYTES = 64 << 10;
  private static final int BOUNCE_BYTES = 256 << 10;

  private final Wire wire;
  private final Runnable jammed;
  private final ReentrantLock turn = new ReentrantLock();
  private final Queue<byte[]> posted = new ConcurrentLinkedQueue<>();
  private final Set<Wakeable> waiting = ConcurrentHashMap.newKeySet();
  // Posted frames that have not left, and how many of them are in the buffer below.
  private final AtomicInteger unsent = new AtomicInteger();
  private int carried;
  // What is to leave before the payload; between position and limit.
  private final ByteBuffer ahead = ByteBuffer.allocateDirect(AHEAD_BYTES).flip();
  // Heap memory cannot be read by the kernel: it passes through here.
  private ByteBuffer bounce;
  private MemorySegment payload = MemorySegment.NULL;
  private ByteBuffer window = ByteBuffer.allocate(0);
  private long windowEnd;
  private volatile boolean broken;

  /**
   * @param jammed called when posted frames stay because the connection takes no more: somebody
   *     must call {@link #passOn} when it does
   */
  FrameWriter(Wire wire, Runnable jammed) {
    this.wire = wire;
    this.jammed = jammed;
  }

  /** Takes the turn if nobody has it; else the waiter is woken when it may try again. */
  boolean take(Wakeable waiter) {
    if (turn.tryLock()) {
      return true;
    }
    waiting.add(waiter);
    return turn.tryLock();
  }

  /** Begins a frame; only with the turn, after the frame before is finished. */
  void begin(FrameKind kind, int number, long length, MemorySegment data) {
    ahead.compact();
    ahead.putInt(kind.code()).putInt(number).putLong(length);
    payload = data;
    windowEnd = 0;
    window = ByteBuffer.allocate(0);
    if (data.byteSize() <= SMALL_BYTES && ahead.remaining() >= data.byteSize()) {
      int bytes = (int) data.byteSize();
      MemorySegment.copy(data, 0, MemorySegment.ofBuffer(ahead), 0, bytes);
      ahead.position(ahead.position() + bytes);
      windowEnd = bytes;
    }
    ahead.flip();
  }

  /** Writes on; says whether anything moved. Only with the turn. */
  boolean push() throws IOException {
    if (!window.hasRemaining() && windowEnd < payload.byteSize()) {
      slide();
    }
    long before = ahead.remaining() + (long) window.remaining();
    wire.write(window.hasRemaining() ? new ByteBuffer[] {ahead, window} : new ByteBuffer[] {ahead});
    return ahead.remaining() + (long) window.remaining() < before;
  }

  private void slide() {
    long rest = payload.byteSize() - windowEnd;
    if (payload.isNative()) {
      window = payload.asSlice(windowEnd, rest).asByteBuffer();
    } else {
      if (bounce == null) {
        bounce = ByteBuffer.allocateDirect(BOUNCE_BYTES);
      }
      int bytes = (int) Math.min(BOUNCE_BYTES, rest);
      window = bounce.clear().limit(bytes);
      MemorySegment.ofBuffer(window).copyFrom(payload.asSlice(windowEnd, bytes));
    }
    windowEnd += window.remaining();
  }

  /** Whether the frame that was begun has left. Only with the turn. */
  boolean finished() throws IOException {
    return windowEnd == payload.byteSize() && !window.hasRemaining() && nothingAhead();
  }

  private boolean nothingAhead() throws IOException {
    boolean nothing = !ahead.hasRemaining() && wire.flush();
    if (nothing) {
      unsent.addAndGet(-carried);
      carried = 0;
    }
    return nothing;
  }

  /** Gives the turn back after a finished frame. */
  void release() {
    payload = MemorySegment.NULL;
    window = ByteBuffer.allocate(0);
    windowEnd = 0;
    turn.unlock();
    wakeWaiting();
    if (!posted.isEmpty()) {
      passOn();
    }
  }

  private void wakeWaiting() {
    // Who comes to wait meanwhile finds the turn free.
    if (!waiting.isEmpty()) {
      List<Wakeable> woken = List.copyOf(waiting);
      woken.forEach(waiting::remove);
      woken.forEach(Wakeable::wake);
    }
  }

  /** Gives the turn back in the middle of a frame: nothing can follow on this connection. */
  void giveUp() {
    broken = true;
    posted.clear();
    release();
  }

  /** Sends a small frame as soon as the connection takes it; says whether it has left already. */
  boolean post(FrameKind kind, int number, long length, byte[] text) {
    if (broken) {
      return false;
    }
    unsent.incrementAndGet();
    ByteBuffer frame = ByteBuffer.allocate(FrameReader.HEADER_BYTES + text.length);
    posted.add(frame.putInt(kind.code()).putInt(number).putLong(length).put(text).array());
    return passOn();
  }

  /** Whether all small frames have left, or never will. */
  boolean allPosted() {
    return broken || unsent.get() == 0;
  }

  /** Whether small frames wait to leave. */
  boolean hasPosted() {
    return !broken && unsent.get() > 0;
  }

  /** Writes what was posted, unless somebody else has the turn and will; says if all has left. */
  boolean passOn() {
    // A thread that posts while we have the turn relies on us to look again after giving it back.
    while (turn.tryLock()) {
      boolean left;
      try {
        left = drain();
      } catch (IOException e) {
        // The reading side sees the same and knows the reason.
        broken = true;
        posted.clear();
        left = false;
      } finally {
        turn.unlock();
        wakeWaiting();
      }
      if (!left && !broken) {
        jammed.run();
      }
      if (!left || posted.isEmpty()) {
        return left;
      }
    }
    return false;
  }

  private boolean drain() throws IOException {
    boolean moved = true;
    while (moved) {
      ahead.compact();
      while (!posted.isEmpty()
          && posted.peek().length + FrameReader.HEADER_BYTES <= ahead.remaining()) {
        ahead.put(posted.poll());
        carried++;
      }
      ahead.flip();
      moved = ahead.hasRemaining() && wire.write(new ByteBuffer[] {ahead}) > 0;
    }
    return nothingAhead() && posted.isEmpty();
  }
}
