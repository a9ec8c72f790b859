package dev.tandem.comm.transport;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;

/** The sender's end of a ring in shared memory; never waits. Thread-safe. */
final class RingWriter {

  /** What {@link #write} returns if there is no room. */
  static final long NO_ROOM = -1;

  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment ring;
  private final RingLayout layout;
  private final ReentrantLock writing = new ReentrantLock();
  // Guarded by the lock: what was written so far, and what the receiver is known to have freed.
  private long fragments;
  private long stored;
  private long freedFragments;
  private long freedBytes;

  RingWriter(MemorySegment ring, RingLayout layout) {
    this.ring = ring;
    this.layout = layout;
  }

  /** Writes a fragment of a message, from a place on; returns how many bytes it has. */
  long write(int channel, MemorySegment message, long from) {
    writing.lock();
    try {
      long rest = message.byteSize() - from;
      boolean inline = rest <= RingLayout.MOST_INLINE;
      long place = stored & (layout.storeBytes() - 1);
      long bytes =
          inline
              ? rest
              : Math.min(rest, Math.min(layout.mostFragment(), layout.storeBytes() - place));
      if (!roomFor(inline ? 0 : bytes)) {
        return NO_ROOM;
      }
      long line =
          RingLayout.FIRST_LINE + (fragments & (layout.lines() - 1)) * RingLayout.LINE_BYTES;
      if (inline) {
        MemorySegment.copy(message, from, ring, line + RingLayout.INLINE, bytes);
      } else {
        MemorySegment.copy(message, from, ring, layout.store() + place, bytes);
        stored += RingLayout.aligned(bytes);
      }
      ring.set(ValueLayout.JAVA_INT, line + RingLayout.CHANNEL, channel);
      ring.set(ValueLayout.JAVA_LONG, line + RingLayout.MESSAGE_BYTES, message.byteSize());
      ring.set(ValueLayout.JAVA_INT, line + RingLayout.FRAGMENT_BYTES, (int) bytes);
      fragments++;
      INT.setVolatile(ring, line + RingLayout.STAMP, (int) fragments);
      return bytes;
    } finally {
      writing.unlock();
    }
  }

  private boolean roomFor(long bytes) {
    if (fits(bytes)) {
      return true;
    }
    freedFragments = (long) LONG.getVolatile(ring, RingLayout.FREED_FRAGMENTS);
    freedBytes = (long) LONG.getVolatile(ring, RingLayout.FREED_BYTES);
    return fits(bytes);
  }

  private boolean fits(long bytes) {
    return fragments - freedFragments < layout.lines()
        && stored - freedBytes + bytes <= layout.storeBytes();
  }

  /** Asks the receiver to say when there is room. */
  void jam() {
    INT.setVolatile(ring, RingLayout.JAMMED, 1);
  }
}
