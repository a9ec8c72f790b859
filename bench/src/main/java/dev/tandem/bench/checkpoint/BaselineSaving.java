package dev.tandem.bench.checkpoint;

import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.HugeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Locale;

/** What no format can do better: a copy in memory, and a write of the bytes past the page cache. */
final class BaselineSaving implements Saving {

  /** As dd with oflag=direct and this block size. */
  private static final int BLOCK = 4 << 20;

  /** Which limit. */
  enum Limit {
    MEMCPY,
    RAW
  }

  private final ModelState state;
  private final Limit limit;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment copy;

  BaselineSaving(ModelState state, Limit limit) {
    this.state = state;
    this.limit = limit;
    long blocks = Math.ceilDiv(state.bytes(), DurableFiles.BLOCK);
    this.copy = HugeMemory.allocate(blocks * DurableFiles.BLOCK, arena);
    // Every page is there before it is measured.
    MemorySegment.copy(state.memory(), 0, copy, 0, state.bytes());
  }

  @Override
  public String format() {
    return limit.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String mode() {
    return "baseline";
  }

  @Override
  public int ranks() {
    return 1;
  }

  @Override
  public Times save(Path folder) {
    long began = System.nanoTime();
    switch (limit) {
      case MEMCPY -> MemorySegment.copy(state.memory(), 0, copy, 0, state.bytes());
      case RAW -> write(folder.resolve("raw"));
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    return Times.waiting(seconds);
  }

  private void write(Path path) {
    try (DurableFile file = DurableFiles.system().openForBlocks(path)) {
      for (long at = 0; at < copy.byteSize(); at += BLOCK) {
        long length = Math.min(BLOCK, copy.byteSize() - at);
        file.write(copy.asSlice(at, length).asByteBuffer(), at);
      }
      file.force();
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
