package dev.tandem.train;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Native memory that is used again and grows where more is needed; any thread may read it. */
final class KeptMemory implements AutoCloseable {

  private static final long ALIGNMENT = 64;

  private Arena arena = Arena.ofShared();
  private MemorySegment memory = arena.allocate(ALIGNMENT, ALIGNMENT);

  /** This many bytes, whose content is anything; what was given before must not be used again. */
  MemorySegment of(long bytes) {
    if (bytes > memory.byteSize()) {
      arena.close();
      arena = Arena.ofShared();
      memory = arena.allocate(bytes, ALIGNMENT);
    }
    return memory.asSlice(0, bytes);
  }

  @Override
  public void close() {
    arena.close();
  }
}
