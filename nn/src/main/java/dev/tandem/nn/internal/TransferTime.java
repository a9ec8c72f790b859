package dev.tandem.nn.internal;

import dev.tandem.core.DType;
import dev.tandem.nn.spec.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Nanoseconds that the layers of a network have spent with other ranks. One thread at a time. */
public final class TransferTime {

  private long nanos;

  long nanos() {
    return nanos;
  }

  /** Runs what waits for other ranks. */
  void during(Runnable transfer) {
    long begin = System.nanoTime();
    transfer.run();
    nanos += System.nanoTime() - begin;
  }

  /** The same transfer, whose time is added up here. */
  Transfer measured(Transfer transfer) {
    return new Transfer() {
      @Override
      public int size() {
        return transfer.size();
      }

      @Override
      public int rank() {
        return transfer.rank();
      }

      @Override
      public void exchange(
          List<Integer> to,
          List<MemorySegment> outgoing,
          List<Integer> from,
          List<MemorySegment> incoming) {
        during(() -> transfer.exchange(to, outgoing, from, incoming));
      }

      @Override
      public void allgather(MemorySegment mine, MemorySegment all, long[] lengths) {
        during(() -> transfer.allgather(mine, all, lengths));
      }

      @Override
      public void reduceScatter(MemorySegment all, MemorySegment mine, long[] lengths, DType type) {
        during(() -> transfer.reduceScatter(all, mine, lengths, type));
      }

      @Override
      public void allreduce(MemorySegment data, DType type) {
        during(() -> transfer.allreduce(data, type));
      }
    };
  }
}
