package dev.tandem.parallel.stage;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.Handle;
import dev.tandem.core.DType;
import dev.tandem.nn.spec.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Moves tensors and gradients between a stage and its neighbour. What is sent goes on by itself out
 * of memory of its own; what is received is waited for. Each direction has its own group of the two
 * ranks, so neither waits for the other.
 *
 * <p>One thread. It owns both groups.
 */
public final class StageTransfer implements Transfer, AutoCloseable {

  private static final int RANKS = 2;

  private final Communicator out;
  private final Communicator in;
  private final BufferPool buffers = new BufferPool();
  private final Deque<Sent> underWay = new ArrayDeque<>();

  private record Sent(Handle handle, MemorySegment buffer) {}

  /**
   * One side of a boundary.
   *
   * @param out the group by which this rank sends; the stage before is its rank 0
   * @param in the group by which it receives, likewise
   */
  public StageTransfer(Communicator out, Communicator in) {
    this.out = out;
    this.in = in;
  }

  @Override
  public int size() {
    return RANKS;
  }

  @Override
  public int rank() {
    return out.rank();
  }

  @Override
  public void exchange(
      List<Integer> to,
      List<MemorySegment> outgoing,
      List<Integer> from,
      List<MemorySegment> incoming) {
    outgoing.forEach(this::send);
    incoming.forEach(data -> in.receive(data, 1 - rank()));
  }

  private void send(MemorySegment data) {
    while (!underWay.isEmpty() && underWay.peekFirst().handle.test()) {
      buffers.giveBack(underWay.pollFirst().buffer);
    }
    MemorySegment buffer = buffers.copyOf(data);
    int peer = 1 - rank();
    underWay.addLast(new Sent(out.start(group -> group.send(buffer, peer)), buffer));
  }

  /** Waits until all that was sent has left. */
  void finish() {
    while (!underWay.isEmpty()) {
      Sent sent = underWay.pollFirst();
      sent.handle.await();
      buffers.giveBack(sent.buffer);
    }
  }

  @Override
  public void allgather(MemorySegment mine, MemorySegment all, long[] lengths) {
    throw new UnsupportedOperationException("stages send messages");
  }

  @Override
  public void reduceScatter(MemorySegment all, MemorySegment mine, long[] lengths, DType type) {
    throw new UnsupportedOperationException("stages send messages");
  }

  @Override
  public void allreduce(MemorySegment data, DType type) {
    throw new UnsupportedOperationException("stages send messages");
  }

  /** Leaves both groups, after all that was sent has left. */
  @Override
  public void close() {
    out.close();
    in.close();
    buffers.close();
  }
}
