package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * What ranks do together. All ranks call the same operations in the same order, with lengths that
 * fit each other; {@link #send} and {@link #receive} are matched between two ranks alone.
 *
 * <p>Reductions keep the level {@link Determinism#RUN}: every element is reduced in rank order
 * within each host and then host by host, and all ranks get the same bits, whatever the message
 * size or the timing. At level {@link Determinism#FAST} {@link #allreduce} alone may use another
 * order.
 *
 * <p>Memory is borrowed for the duration of a call; it may be native or on the heap, of any arena
 * that the calling thread may use. One thread at a time may call; it must not be interrupted.
 *
 * <p>Once a rank is lost, every call throws {@link dev.tandem.core.PeerLostException} naming it,
 * also one that already waits, and data may be half changed.
 */
public interface Collectives {

  /** The number of this rank, from 0. */
  int rank();

  /** How many ranks there are. */
  int size();

  /** Replaces the elements of all ranks by their reduction. */
  void allreduce(MemorySegment data, DType type, ReduceOp op);

  /**
   * Replaces the elements of all tensors by their reduction, with one collective instead of one for
   * each tensor: the bits are those of {@link #allreduce} of each, the cost that of one with all
   * their bytes. In shared memory nothing is copied for it.
   *
   * @param tensors of the same lengths in every rank
   */
  void fusedAllreduce(List<MemorySegment> tensors, DType type, ReduceOp op);

  /**
   * Like {@link #allreduce}, at level {@code elastic}: the same bits however many ranks hold the
   * shards.
   *
   * @param shards the equally long data of this rank's shards, one after the other
   * @param shardCount how many shards all ranks have together; rank r holds the r-th of size() runs
   *     of shards, where the first runs have one shard more if it does not come out even
   * @param result as long as one shard; gets the reduction over all shards
   */
  void elasticAllreduce(
      MemorySegment shards, int shardCount, MemorySegment result, DType type, ReduceOp op);

  /**
   * Reduces the elements of all ranks and leaves each with one block of the result, with the bits
   * that {@link #allreduce} gives at level {@link Determinism#RUN}.
   *
   * @param data the blocks of all ranks, one after the other; unchanged, unless {@code mine} is
   *     this rank's part of it
   * @param mine this rank's block of the result
   * @param lengths bytes of every rank's block, the same in all ranks
   */
  void reduceScatter(
      MemorySegment data, MemorySegment mine, long[] lengths, DType type, ReduceOp op);

  /** Replaces the elements of the root by the reduction of those of all ranks. */
  void reduce(MemorySegment data, DType type, ReduceOp op, int root);

  /** Replaces the data of all ranks by that of the root. */
  void broadcast(MemorySegment data, int root);

  /**
   * Collects the data of all ranks, in rank order.
   *
   * @param mine this rank's data, as long in every rank
   * @param all as long as the data of all ranks together
   */
  default void allgather(MemorySegment mine, MemorySegment all) {
    allgather(mine, all, Extents.equal(size(), mine.byteSize()));
  }

  /** Collects data of different lengths; {@code lengths} are the bytes of every rank. */
  void allgather(MemorySegment mine, MemorySegment all, long[] lengths);

  /** Collects the data of all ranks at the root; {@code all} is used there only. */
  default void gather(MemorySegment mine, MemorySegment all, int root) {
    gather(mine, all, Extents.equal(size(), mine.byteSize()), root);
  }

  /** Collects data of different lengths at the root. */
  void gather(MemorySegment mine, MemorySegment all, long[] lengths, int root);

  /** Deals the root's data out in equal parts; {@code all} is used at the root only. */
  default void scatter(MemorySegment all, MemorySegment mine, int root) {
    scatter(all, mine, Extents.equal(size(), mine.byteSize()), root);
  }

  /** Deals the root's data out in parts of different lengths. */
  void scatter(MemorySegment all, MemorySegment mine, long[] lengths, int root);

  /** Block j of rank i becomes block i of rank j. */
  void allToAll(MemorySegment outgoing, MemorySegment incoming);

  /**
   * Sends some of the other ranks a message each and gets one from some, of any lengths; ranks that
   * neither send nor get anything may leave it out. Empty messages count as none.
   *
   * @param outgoing at most one to each other rank, in any order
   * @param incoming at most one from each other rank, as long as what that rank sends
   */
  void exchange(List<Message> outgoing, List<Message> incoming);

  /**
   * Sends data to one rank; may wait until that rank receives it. Several threads may send and
   * receive at once, each to or from another rank.
   */
  void send(MemorySegment data, int to);

  /** Waits for data that one rank sends, which must be as long as {@code target}. */
  void receive(MemorySegment target, int from);

  /** Returns when every rank has called it. */
  void barrier();
}
