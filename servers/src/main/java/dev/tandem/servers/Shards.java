package dev.tandem.servers;

import java.lang.foreign.MemorySegment;

/**
 * The flat parameters cut into shards of nearly equal size, in order.
 *
 * @param elements float32 numbers in all
 * @param count of shards; those after the last element are empty
 */
record Shards(long elements, int count) {

  /** Shards begin at multiples of this number of elements: a cache line belongs to one of them. */
  private static final long GRAIN = 16;

  /** The first element of a shard. */
  long first(int shard) {
    long grains = Math.ceilDiv(elements, GRAIN);
    return Math.min(elements, grains * shard / count * GRAIN);
  }

  /** Bytes of a shard. */
  long bytes(int shard) {
    return (first(shard + 1) - first(shard)) * Float.BYTES;
  }

  /** A shard of memory that is laid out as the parameters are. */
  MemorySegment of(MemorySegment all, int shard) {
    return all.asSlice(first(shard) * Float.BYTES, bytes(shard));
  }
}
