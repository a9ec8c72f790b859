package dev.tandem.checkpoint;

import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.HugeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Two pieces of memory in huge pages that take turns, so that the last snapshot stays while the
 * next is made. Every page is there before it is used: a snapshot then costs a copy, no faults. The
 * memory is the arena's.
 */
final class SnapshotBuffers {

  static final int COUNT = 2;

  private final Arena arena;
  private MemorySegment[] buffers = {};
  private long bytes = -1;
  private int next;

  SnapshotBuffers(Arena arena) {
    this.arena = arena;
  }

  /** Makes the memory, if it is not there yet in this length. */
  void prepare(long needed) {
    if (needed == bytes) {
      return;
    }
    MemorySegment[] made = new MemorySegment[COUNT];
    for (int i = 0; i < COUNT; i++) {
      // Nothing is mapped for 0 bytes.
      made[i] = HugeMemory.allocate(padded(Math.max(1, needed)), arena);
      made[i].fill((byte) 0);
    }
    buffers = made;
    bytes = needed;
  }

  /** Whole blocks, so that the last one can be written from where it is. */
  static long padded(long bytes) {
    return Math.ceilDiv(bytes, DurableFiles.BLOCK) * DurableFiles.BLOCK;
  }

  /** Which buffer comes next. */
  int turn() {
    return next;
  }

  /** The one that was used longest ago, and is used now. */
  MemorySegment next(long needed) {
    prepare(needed);
    MemorySegment buffer = buffers[next];
    next = (next + 1) % COUNT;
    return buffer;
  }
}
