package dev.tandem.nn.internal;

import dev.tandem.nn.engine.CountedArena;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory in which exchanges with other ranks pack what goes out and find what comes in: one at a
 * time, so that a network has as much of it as its largest exchange needs. It is kept, and grows.
 */
public final class Workspace implements AutoCloseable {

  static final long ALIGNMENT = 64;

  private final Room outgoing = new Room();
  private final Room incoming = new Room();

  /** Memory for what goes out, until the next call. */
  MemorySegment outgoing(long bytes) {
    return outgoing.of(bytes);
  }

  /** Memory for what comes in, until the next call. */
  MemorySegment incoming(long bytes) {
    return incoming.of(bytes);
  }

  /** Bytes that are aligned where those after them begin. */
  static long aligned(long bytes) {
    return Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
  }

  @Override
  public void close() {
    outgoing.close();
    incoming.close();
  }

  /** One piece of memory. */
  private static final class Room {

    private Arena arena;
    private MemorySegment memory = MemorySegment.NULL;

    MemorySegment of(long bytes) {
      if (memory.byteSize() < bytes) {
        close();
        arena = CountedArena.ofThread();
        memory = arena.allocate(aligned(bytes), ALIGNMENT);
      }
      return memory.asSlice(0, bytes);
    }

    void close() {
      if (arena != null) {
        memory = MemorySegment.NULL;
        arena.close();
        arena = null;
      }
    }
  }
}
