package dev.tandem.bench.collective;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** One operation on N bytes, in private native memory. */
final class CollectiveWork {

  private static final int TENSORS = 16;
  private static final int PERIOD = 1000;

  /** A multiple of what repeats in the data. */
  private static final long BLOCK_BYTES = 4096;

  private final Communicator communicator;
  private final Communicator fast;
  private final CollectiveOperation operation;
  private final List<MemorySegment> tensors = new ArrayList<>();
  private final MemorySegment other;

  CollectiveWork(
      Communicator communicator, CollectiveOperation operation, long bytes, Arena arena) {
    this.communicator = communicator;
    this.fast = communicator.at(Determinism.FAST);
    this.operation = operation;
    long count = bytes / Float.BYTES;
    int parts = operation == CollectiveOperation.FUSED && count >= TENSORS ? TENSORS : 1;
    for (int i = 0; i < parts; i++) {
      long length = i + 1 < parts ? count / parts : count - count / parts * (parts - 1);
      tensors.add(arena.allocate(length * Float.BYTES, Long.BYTES));
    }
    boolean needsOther =
        operation == CollectiveOperation.ELASTIC || operation == CollectiveOperation.COPY;
    this.other = arena.allocate(needsOther ? bytes : 0, Long.BYTES);
  }

  /**
   * Fresh data for a call. As fast as the others fill theirs: while ranks share processors, it
   * takes time from ranks that are not done with the call before.
   */
  void refill(int call) {
    float value = call % PERIOD + communicator.rank();
    for (MemorySegment tensor : tensors) {
      long bytes = tensor.byteSize();
      long block = Math.min(bytes, BLOCK_BYTES);
      for (long i = 0; i < block / Float.BYTES; i++) {
        tensor.setAtIndex(ValueLayout.JAVA_FLOAT, i, value + (i & 7));
      }
      for (long at = block; at < bytes; at += block) {
        MemorySegment.copy(tensor, 0, tensor, at, Math.min(block, bytes - at));
      }
    }
  }

  void perform() {
    MemorySegment data = tensors.getFirst();
    switch (operation) {
      case ALLREDUCE, STRAGGLER -> communicator.allreduce(data, DType.FLOAT32, ReduceOp.SUM);
      case FAST -> fast.allreduce(data, DType.FLOAT32, ReduceOp.SUM);
      case FUSED -> communicator.fusedAllreduce(tensors, DType.FLOAT32, ReduceOp.SUM);
      case ELASTIC ->
          communicator.elasticAllreduce(
              data, communicator.size(), other, DType.FLOAT32, ReduceOp.SUM);
      case COPY -> other.copyFrom(data);
    }
  }

  /** Fails if the first or the last element is not what it must be. */
  void verify(int call) {
    switch (operation) {
      case ALLREDUCE, FAST, STRAGGLER, FUSED -> verify(tensors.getLast(), call);
      case ELASTIC -> verify(other, call);
      case COPY -> {}
    }
  }

  private void verify(MemorySegment tensor, int call) {
    long last = tensor.byteSize() / Float.BYTES - 1;
    verify(tensor, 0, call);
    verify(tensor, last, call);
  }

  private void verify(MemorySegment tensor, long index, int call) {
    float expected = 0;
    for (int rank = 0; rank < communicator.size(); rank++) {
      expected += call % PERIOD + rank + (index & 7);
    }
    float value = tensor.getAtIndex(ValueLayout.JAVA_FLOAT, index);
    if (value != expected) {
      throw new IllegalStateException("wrong result: %f instead of %f".formatted(value, expected));
    }
  }
}
