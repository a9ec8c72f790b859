package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A network's buffers as each shard leaves them. Every shard begins a step with the same buffers,
 * and what all shards leave is averaged: so the order of shards and ranks does not matter.
 */
final class BufferRows {

  private final List<TensorView> buffers;
  private final ShardRows rows;
  private final MemorySegment before;

  BufferRows(Arena arena, int shards, List<TensorView> buffers) {
    this.buffers = buffers;
    long bytes = buffers.stream().mapToLong(TensorView::byteSize).sum();
    rows = new ShardRows(arena, shards, bytes);
    before = arena.allocate(bytes, Long.BYTES);
  }

  /** A step begins; shards that do not take part leave what they were given. */
  void begin() {
    pack(before);
    for (long at = 0; at < rows.all().byteSize(); at += before.byteSize()) {
      MemorySegment.copy(before, 0, rows.all(), at, before.byteSize());
    }
  }

  /** Another shard begins. */
  void rewind() {
    unpack(before);
  }

  /** A shard is through. */
  void keep(int shard) {
    pack(rows.row(shard));
  }

  /** All shards of all ranks are through. */
  void average(Communicator communicator, int shards) {
    if (!buffers.isEmpty()) {
      communicator.elasticAllreduce(rows.all(), shards, before, DType.FLOAT32, ReduceOp.AVERAGE);
      unpack(before);
    }
  }

  private void pack(MemorySegment to) {
    long at = 0;
    for (TensorView buffer : buffers) {
      MemorySegment.copy(buffer.data(), 0, to, at, buffer.byteSize());
      at += buffer.byteSize();
    }
  }

  private void unpack(MemorySegment from) {
    long at = 0;
    for (TensorView buffer : buffers) {
      MemorySegment.copy(from, at, buffer.data(), 0, buffer.byteSize());
      at += buffer.byteSize();
    }
  }
}
