package dev.tandem.oracle.measure;

import dev.tandem.core.DType;
import dev.tandem.nn.spec.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Stands for a group of ranks that is not there: what comes from others is what goes to them, so
 * that layers compute with numbers of the usual size.
 */
record IdleTransfer(int size, int rank) implements Transfer {

  @Override
  public void exchange(
      List<Integer> to,
      List<MemorySegment> outgoing,
      List<Integer> from,
      List<MemorySegment> incoming) {
    for (int i = 0; i < incoming.size(); i++) {
      if (outgoing.isEmpty()) {
        incoming.get(i).fill((byte) 0);
      } else {
        fill(incoming.get(i), outgoing.get(i % outgoing.size()));
      }
    }
  }

  @Override
  public void allgather(MemorySegment mine, MemorySegment all, long[] lengths) {
    fill(all, mine);
  }

  @Override
  public void reduceScatter(MemorySegment all, MemorySegment mine, long[] lengths, DType type) {
    long at = 0;
    for (int i = 0; i < rank; i++) {
      at += lengths[i];
    }
    if (all.address() + at != mine.address()) {
      MemorySegment.copy(all, at, mine, 0, lengths[rank]);
    }
  }

  @Override
  public void allreduce(MemorySegment data, DType type) {
    // The sum over copies is the same up to a factor.
  }

  /** With the bytes of another piece of memory again and again. */
  private static void fill(MemorySegment target, MemorySegment source) {
    long length = Math.min(source.byteSize(), target.byteSize());
    if (length == 0) {
      target.fill((byte) 0);
      return;
    }
    for (long at = 0; at < target.byteSize(); at += length) {
      MemorySegment.copy(source, 0, target, at, Math.min(length, target.byteSize() - at));
    }
  }
}
