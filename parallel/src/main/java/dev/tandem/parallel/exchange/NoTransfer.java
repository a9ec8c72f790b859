package dev.tandem.parallel.exchange;

import dev.tandem.core.DType;
import dev.tandem.nn.spec.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The transfer of exchanges in which nothing travels, and of plans that are only looked at. */
public record NoTransfer(int size, int rank) implements Transfer {

  /** A group of one. */
  public static final NoTransfer ALONE = new NoTransfer(1, 0);

  @Override
  public void exchange(
      List<Integer> to,
      List<MemorySegment> outgoing,
      List<Integer> from,
      List<MemorySegment> incoming) {
    throw refused();
  }

  @Override
  public void allgather(MemorySegment mine, MemorySegment all, long[] lengths) {
    throw refused();
  }

  @Override
  public void reduceScatter(MemorySegment all, MemorySegment mine, long[] lengths, DType type) {
    throw refused();
  }

  @Override
  public void allreduce(MemorySegment data, DType type) {
    throw refused();
  }

  private static IllegalStateException refused() {
    return new IllegalStateException("a plan without ranks");
  }
}
