package dev.tandem.parallel.stage;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/** Memory of the sizes that messages have, used again; one thread. Accessible from any thread. */
final class BufferPool implements AutoCloseable {

  private static final long ALIGNMENT = 64;

  private final Arena arena = Arena.ofShared();
  private final Map<Long, ArrayDeque<MemorySegment>> free = new HashMap<>();

  /** A buffer with these bytes. */
  MemorySegment copyOf(MemorySegment bytes) {
    MemorySegment found =
        free.computeIfAbsent(bytes.byteSize(), _ -> new ArrayDeque<>()).pollLast();
    MemorySegment buffer = found != null ? found : arena.allocate(bytes.byteSize(), ALIGNMENT);
    return buffer.copyFrom(bytes);
  }

  /** A buffer is not used any more. */
  void giveBack(MemorySegment buffer) {
    free.get(buffer.byteSize()).addLast(buffer);
  }

  @Override
  public void close() {
    arena.close();
  }
}
