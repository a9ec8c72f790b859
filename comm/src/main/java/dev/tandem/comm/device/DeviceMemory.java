package dev.tandem.comm.device;

import dev.tandem.comm.Communicator;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * Numbers of float32 in the memory of a device, one after the other, which ranks sum. All methods
 * but {@link Copy#await} return at once; what they begin is done in order.
 *
 * <p>{@link #copyOut}, {@link #direct} and {@link #join} are called by the thread that computes,
 * the others by one other thread.
 */
public interface DeviceMemory extends AutoCloseable {

  /** A copy on its way to memory of the host. */
  interface Copy {

    /** Waits until it is there. */
    void await();
  }

  /** Sums that devices of different ranks make by themselves. */
  interface DirectSum extends AutoCloseable {

    /** Begins to sum a part over all ranks, once all that was computed so far is there. */
    void sum(long offset, long bytes);

    @Override
    void close();
  }

  /** Bytes of all numbers. */
  long bytes();

  /** The device, by a name that no other device of this host has. */
  String device();

  /** Lets the device reach memory of the host by itself, until {@link #unpin}. */
  void pin(MemorySegment memory);

  void unpin(MemorySegment memory);

  /** Begins to copy a part to the host, once all that was computed so far is there. */
  Copy copyOut(long offset, MemorySegment to);

  /** Begins to copy a part from the host over that of the device. */
  void copyIn(long offset, MemorySegment from);

  /**
   * Begins to replace a part by the sum of those of all ranks, added in the order of the ranks.
   *
   * @param parts of all ranks, in memory of the host; that of this rank is not read
   * @param own the place of this rank among them
   */
  void sum(long offset, List<MemorySegment> parts, int own);

  /** What is computed from now on comes after all that was begun here. */
  void join();

  /**
   * Lets devices that belong to one rank each sum by themselves, if they can; all ranks call this
   * together, and get the same.
   */
  Optional<DirectSum> direct(Communicator ranks);

  /** Frees what was made for the sums, after the last of them; not the numbers themselves. */
  @Override
  void close();
}
