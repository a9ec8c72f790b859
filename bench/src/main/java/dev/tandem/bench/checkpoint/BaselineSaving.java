package dev.tandem.bench.checkpoint;

import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.HugeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What no format can do better: a copy in memory, and a write of the bytes past the page cache, one
 * block after the other or with as many writes under way as our store has, of blocks as large.
 */
final class BaselineSaving implements Saving {

  /** As dd with oflag=direct and this block size. */
  private static final int BLOCK = CheckpointOptions.BLOCK_BYTES;

  /** Which limit. */
  enum Limit {
    MEMCPY("memcpy", 0),
    RAW("raw", 1),
    QUEUED("raw-queued", CheckpointOptions.QUEUE_DEPTH);

    private final String code;
    private final int depth;

    Limit(String code, int depth) {
      this.code = code;
      this.depth = depth;
    }
  }

  private final ModelState state;
  private final Limit limit;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment copy;
  private final ExecutorService threads;

  BaselineSaving(ModelState state, Limit limit) {
    this.state = state;
    this.limit = limit;
    long blocks = Math.ceilDiv(state.bytes(), DurableFiles.BLOCK);
    this.threads =
        Executors.newFixedThreadPool(
            Math.max(1, limit.depth), Thread.ofPlatform().daemon().name("bench-raw-", 0).factory());
    this.copy = HugeMemory.allocate(blocks * DurableFiles.BLOCK, arena);
    // Every page is there before it is measured.
    MemorySegment.copy(state.memory(), 0, copy, 0, state.bytes());
  }

  @Override
  public String format() {
    return limit.code;
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
  public int queueDepth() {
    return limit.depth;
  }

  @Override
  public Times save(Path folder) {
    long began = System.nanoTime();
    switch (limit) {
      case MEMCPY -> MemorySegment.copy(state.memory(), 0, copy, 0, state.bytes());
      case RAW, QUEUED -> write(folder.resolve("raw"));
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    return Times.waiting(seconds);
  }

  private void write(Path path) {
    try (DurableFile file = DurableFiles.system().openForBlocks(path)) {
      file.reserve(copy.byteSize());
      List<Future<?>> writes = new ArrayList<>();
      for (long at = 0; at < copy.byteSize(); at += BLOCK) {
        long position = at;
        long length = Math.min(BLOCK, copy.byteSize() - at);
        writes.add(
            threads.submit(
                () -> file.write(copy.asSlice(position, length).asByteBuffer(), position)));
      }
      for (Future<?> write : writes) {
        var _ = write.get();
      }
      file.force();
    } catch (ExecutionException e) {
      throw new WorkFailedException("cannot write %s: %s".formatted(path, e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while writing " + path, e);
    }
  }

  @Override
  public void close() {
    threads.close();
    arena.close();
  }
}
