package dev.tandem.comm.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Native memory that grows with what is asked for and is handed out again and again. */
final class Scratch implements AutoCloseable {

  private Arena arena = Arena.ofShared();
  private MemorySegment memory = MemorySegment.NULL;

  /** This many bytes; the next call may hand out the same. */
  MemorySegment of(long bytes) {
    if (memory.byteSize() < bytes) {
      arena.close();
      arena = Arena.ofShared();
      memory = arena.allocate(bytes, 64);
    }
    return memory.asSlice(0, bytes);
  }

  @Override
  public void close() {
    arena.close();
  }
}
