package dev.tandem.nn.engine;

import java.lang.foreign.MemorySegment;

/**
 * A device with memory of its own. Work is put into lanes and done later: in the order of its lane,
 * and beside that of other lanes. The processor goes on meanwhile; {@link Mark}s tell how far a
 * lane is.
 *
 * <p>Any platform thread may call; what a thread computes goes into {@link Lane#COMPUTE} of the
 * device that it has entered, unless {@link #within} says otherwise.
 */
public interface Accelerator {

  /** Queues of work. */
  enum Lane {
    /** What layers and optimizers compute. */
    COMPUTE,
    /** Batches on their way to the device. */
    UPLOAD,
    /** State on its way to a checkpoint. */
    DOWNLOAD,
    /** Gradients on their way to other ranks. */
    EXCHANGE_OUT,
    /** Gradients of other ranks, and the sum of all. */
    EXCHANGE_IN
  }

  /** A place in a lane, which work that was put there before comes before. */
  record Mark(long event) {}

  /**
   * Memory of the device.
   *
   * @param available bytes that no process had taken when this one began to use the device
   * @param free bytes that no process has taken now
   * @param total bytes that there are
   */
  record Memory(long available, long free, long total) {}

  /** Such as cuda:0. */
  String name();

  /** What it is, for a person: such as NVIDIA H200, 140 GiB. */
  String description();

  /** libtorch's number of the kind of device. */
  int type();

  /** Its number among those of its kind; -1 if there is only one. */
  int index();

  /** The calling thread computes here from now on. */
  void enter();

  /** Operations of the calling thread go into this lane while the work runs. */
  void within(Lane lane, Runnable work);

  /**
   * A mark for any lane, which may be recorded again and again; it stays for the process's life.
   */
  Mark mark();

  /** The mark is now behind all that the lane has been given. */
  void record(Mark mark, Lane lane);

  /** What the lane is given from now on waits for the mark. */
  void follow(Lane lane, Mark mark);

  /** Waits until the device has come to the mark. */
  void await(Mark mark);

  /**
   * Copies when it is its turn, in either direction. Memory of the host must be {@link #pin}ned, or
   * the call waits.
   */
  void copy(Lane lane, long to, long from, long bytes);

  /** Lets the device reach this memory of the host by itself, until {@link #unpin}. */
  void pin(MemorySegment memory);

  void unpin(MemorySegment memory);

  /** Waits until all lanes are empty. */
  void synchronize();

  Memory memory();

  /** Whether passes can be recorded and repeated as one, by {@link #record(Runnable)}. */
  boolean repeats();

  /**
   * Records what the work gives {@link Lane#COMPUTE}, without computing it. What the work allocates
   * stays allocated until the recording is closed.
   */
  Recording record(Runnable work);

  /** Work of {@link Lane#COMPUTE} that can be given to it again as a whole. */
  interface Recording extends AutoCloseable {
    void repeat();

    @Override
    void close();
  }
}
