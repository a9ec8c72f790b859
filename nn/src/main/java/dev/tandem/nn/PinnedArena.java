package dev.tandem.nn;

import dev.tandem.nn.engine.Accelerator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A shared arena whose memory a device can reach by itself. */
final class PinnedArena implements Arena {

  private static final long PAGE = 4096;

  private final Arena arena = Arena.ofShared();
  private final Accelerator device;
  private final List<MemorySegment> pinned = new CopyOnWriteArrayList<>();

  PinnedArena(Accelerator device) {
    this.device = device;
  }

  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    // Whole pages, so that no two pieces share one.
    long bytes = Math.ceilDiv(Math.max(1, byteSize), PAGE) * PAGE;
    MemorySegment memory = arena.allocate(bytes, Math.max(PAGE, byteAlignment));
    device.pin(memory);
    pinned.add(memory);
    return memory.asSlice(0, byteSize);
  }

  @Override
  public MemorySegment.Scope scope() {
    return arena.scope();
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      device.synchronize();
      pinned.forEach(device::unpin);
      arena.close();
    }
  }
}
