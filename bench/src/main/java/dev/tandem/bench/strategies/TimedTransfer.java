package dev.tandem.bench.strategies;

import dev.tandem.core.DType;
import dev.tandem.nn.spec.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Moves memory as another transfer does, and knows how long that took. */
final class TimedTransfer implements Transfer {

  private final Transfer transfer;
  private long nanos;

  TimedTransfer(Transfer transfer) {
    this.transfer = transfer;
  }

  /** All calls so far. */
  long nanos() {
    return nanos;
  }

  private void time(Runnable call) {
    long began = System.nanoTime();
    call.run();
    nanos += System.nanoTime() - began;
  }

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
    time(() -> transfer.exchange(to, outgoing, from, incoming));
  }

  @Override
  public void allgather(MemorySegment mine, MemorySegment all, long[] lengths) {
    time(() -> transfer.allgather(mine, all, lengths));
  }

  @Override
  public void reduceScatter(MemorySegment all, MemorySegment mine, long[] lengths, DType type) {
    time(() -> transfer.reduceScatter(all, mine, lengths, type));
  }

  @Override
  public void allreduce(MemorySegment data, DType type) {
    time(() -> transfer.allreduce(data, type));
  }
}
