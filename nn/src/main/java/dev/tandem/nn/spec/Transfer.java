package dev.tandem.nn.spec;

import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Moves memory between the ranks of a group for {@link Exchange} layers. Called by the thread that
 * computes; all ranks of the group call the same methods in the same order. Memory belongs to the
 * caller and may be used again after the call; addresses are multiples of 64.
 */
public interface Transfer {

  /** Ranks of the group, by whose numbers parcels are addressed. */
  int size();

  /** This rank's number in the group. */
  int rank();

  /**
   * Sends each other rank what it gets, and waits for what the others send.
   *
   * @param outgoing for each peer of {@code to}, in that order
   * @param incoming for each peer of {@code from}, in that order
   */
  void exchange(
      List<Integer> to,
      List<MemorySegment> outgoing,
      List<Integer> from,
      List<MemorySegment> incoming);

  /** Collects the blocks of all ranks in their order, each of its length in bytes. */
  void allgather(MemorySegment mine, MemorySegment all, long[] lengths);

  /**
   * Sums the blocks of all ranks, in an order that is the same on every rank, and leaves this rank
   * its block of the sum.
   *
   * @param all one block for each rank, in their order; its content is lost
   */
  void reduceScatter(MemorySegment all, MemorySegment mine, long[] lengths, DType type);

  /** Sums, the same bits on every rank. */
  void allreduce(MemorySegment data, DType type);
}
