package dev.tandem.comm.transport;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The receiver's end of a ring in shared memory; never waits. For one thread at a time; anybody may
 * ask whether something is {@link #pending} or {@link #jammed}.
 */
final class RingReader {

  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment ring;
  private final RingLayout layout;
  // Written by the one that reads.
  private volatile long fragments;
  private long freed;

  RingReader(MemorySegment ring, RingLayout layout) {
    this.ring = ring;
    this.layout = layout;
  }

  /** Whether a fragment can be read. */
  boolean pending() {
    long number = fragments;
    return (int) INT.getAcquire(ring, line(number) + RingLayout.STAMP) == (int) (number + 1);
  }

  /** The channel of the pending fragment. */
  int channel() {
    return ring.get(ValueLayout.JAVA_INT, line(fragments) + RingLayout.CHANNEL);
  }

  /** The length of the whole message that the pending fragment belongs to. */
  long messageBytes() {
    return ring.get(ValueLayout.JAVA_LONG, line(fragments) + RingLayout.MESSAGE_BYTES);
  }

  /** The bytes of the pending fragment, good until it is freed. */
  MemorySegment payload() {
    long line = line(fragments);
    int bytes = ring.get(ValueLayout.JAVA_INT, line + RingLayout.FRAGMENT_BYTES);
    return bytes <= RingLayout.MOST_INLINE
        ? ring.asSlice(line + RingLayout.INLINE, bytes)
        : ring.asSlice(layout.store() + (freed & (layout.storeBytes() - 1)), bytes);
  }

  /** Done with the pending fragment, which had this many bytes. */
  void free(long bytes) {
    if (bytes > RingLayout.MOST_INLINE) {
      freed += RingLayout.aligned(bytes);
      LONG.setRelease(ring, RingLayout.FREED_BYTES, freed);
    }
    long read = fragments + 1;
    fragments = read;
    LONG.setVolatile(ring, RingLayout.FREED_FRAGMENTS, read);
  }

  /** Whether the sender waits for room. */
  boolean jammed() {
    return (int) INT.getVolatile(ring, RingLayout.JAMMED) != 0;
  }

  /** There is room again; the sender must be told. */
  void unjam() {
    INT.setVolatile(ring, RingLayout.JAMMED, 0);
  }

  private long line(long number) {
    return RingLayout.FIRST_LINE + (number & (layout.lines() - 1)) * RingLayout.LINE_BYTES;
  }
}
