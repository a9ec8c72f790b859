package dev.tandem.parallel.exchange;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.Message;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.nn.spec.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Moves memory between the ranks of a group by its communicator, which {@link MeshGroups} forms
 * after the plan that names the group was made. For the one thread that computes.
 */
final class GroupTransfer implements Transfer {

  private final int size;
  private final int rank;
  private Optional<Communicator> group = Optional.empty();

  GroupTransfer(int size, int rank) {
    this.size = size;
    this.rank = rank;
  }

  /** From now on it can move memory. */
  void over(Communicator communicator) {
    group = Optional.of(communicator);
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public void exchange(
      List<Integer> to,
      List<MemorySegment> outgoing,
      List<Integer> from,
      List<MemorySegment> incoming) {
    group().exchange(messages(to, outgoing), messages(from, incoming));
  }

  private static List<Message> messages(List<Integer> peers, List<MemorySegment> memory) {
    List<Message> messages = new ArrayList<>(peers.size());
    for (int i = 0; i < peers.size(); i++) {
      messages.add(new Message(peers.get(i), memory.get(i)));
    }
    return messages;
  }

  @Override
  public void allgather(MemorySegment mine, MemorySegment all, long[] lengths) {
    group().allgather(mine, all, lengths);
  }

  @Override
  public void reduceScatter(MemorySegment all, MemorySegment mine, long[] lengths, DType type) {
    group().reduceScatter(all, mine, lengths, type, ReduceOp.SUM);
  }

  @Override
  public void allreduce(MemorySegment data, DType type) {
    group().allreduce(data, type, ReduceOp.SUM);
  }

  private Communicator group() {
    return group.orElseThrow(
        () -> new IllegalStateException("the groups of the mesh are not formed yet"));
  }
}
