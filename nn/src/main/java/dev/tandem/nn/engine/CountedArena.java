package dev.tandem.nn.engine;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** A shared arena whose memory counts with that of tensors until it is closed. */
public final class CountedArena implements Arena {

  private final Arena arena = Arena.ofShared();
  private final StorageCount count;
  private final AtomicLong bytes = new AtomicLong();

  public CountedArena(StorageCount count) {
    this.count = count;
  }

  /** One that counts where this thread's tensors do. */
  public static CountedArena ofThread() {
    return new CountedArena(EngineThread.current().storage);
  }

  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    MemorySegment memory = arena.allocate(byteSize, byteAlignment);
    bytes.addAndGet(byteSize);
    count.add(byteSize);
    return memory;
  }

  @Override
  public MemorySegment.Scope scope() {
    return arena.scope();
  }

  @Override
  public void close() {
    arena.close();
    count.remove(bytes.get());
  }
}
