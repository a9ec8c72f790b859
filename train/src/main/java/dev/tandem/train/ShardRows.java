package dev.tandem.train;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** One row for each shard of this rank, one after the other, as an elastic reduction takes them. */
record ShardRows(MemorySegment all, long rowBytes) {

  /** Rows of zeros, which live as long as the arena. */
  ShardRows(Arena arena, int shards, long rowBytes) {
    this(arena.allocate(shards * rowBytes, Long.BYTES), rowBytes);
  }

  MemorySegment row(int shard) {
    return all.asSlice(shard * rowBytes, rowBytes);
  }

  void set(int shard, int place, double value) {
    row(shard).setAtIndex(ValueLayout.JAVA_DOUBLE, place, value);
  }

  void clear() {
    all.fill((byte) 0);
  }
}
