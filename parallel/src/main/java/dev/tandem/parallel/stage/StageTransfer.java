package dev.tandem.parallel.stage;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.Handle;
import dev.tandem.core.DType;
import dev.tandem.nn.spec.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Moves tensors and gradients between a stage and its neighbour. What is sent goes on by itself out
 * of memory of its own; what is received is waited for. Each direction has its own group of the two
 * ranks, so neither waits for the other.
 *
 * <p>What a piece receives can be kept, so that its forward pass is repeated without messages.
 *
 * <p>One thread. It owns both groups.
 */
public final class StageTransfer implements Transfer, AutoCloseable {

  private static final int RANKS = 2;

  private final Communicator out;
  private final Communicator in;
  private final BufferPool buffers = new BufferPool();
  private final Deque<Sent> underWay = new ArrayDeque<>();
  private List<MemorySegment> kept = new ArrayList<>();
  private Mode mode = Mode.TRAVELS;
  private int next;

  private enum Mode {
    TRAVELS,
    KEEPS,
    REPEATS
  }

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
    for (MemorySegment data : outgoing) {
      if (mode != Mode.REPEATS) {
        send(data);
      }
    }
    for (MemorySegment data : incoming) {
      if (mode == Mode.REPEATS) {
        data.copyFrom(kept.get(next++));
      } else {
        in.receive(data, 1 - rank());
      }
      if (mode == Mode.KEEPS) {
        kept.add(buffers.copyOf(data));
      }
    }
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

  /** From now on, what is received is kept too. */
  void keep() {
    kept = new ArrayList<>();
    mode = Mode.KEEPS;
  }

  /** What was received since {@link #keep}; from now on, nothing is kept. */
  List<MemorySegment> kept() {
    mode = Mode.TRAVELS;
    return kept;
  }

  /** From now on, this is received again and nothing is sent. */
  void repeat(List<MemorySegment> received) {
    kept = received;
    next = 0;
    mode = Mode.REPEATS;
  }

  /** The end of a repetition; what was kept for it is not used any more. */
  void repeated() {
    kept.forEach(buffers::giveBack);
    mode = Mode.TRAVELS;
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
