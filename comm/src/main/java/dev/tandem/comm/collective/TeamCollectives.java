package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The collectives of a team; checks what callers give. */
public final class TeamCollectives implements Collectives {

  private final Team team;
  private final Determinism level;

  /**
   * The collectives of a team.
   *
   * @param level of its allreduce
   */
  public TeamCollectives(Team team, Determinism level) {
    this.team = team;
    this.level = level;
  }

  @Override
  public int rank() {
    return team.rank();
  }

  @Override
  public int size() {
    return team.size();
  }

  @Override
  public void allreduce(MemorySegment data, DType type, ReduceOp op) {
    checkElements(data, type);
    Allreduce.run(team, data, type, op, level);
  }

  @Override
  public void fusedAllreduce(List<MemorySegment> tensors, DType type, ReduceOp op) {
    for (MemorySegment tensor : tensors) {
      checkElements(tensor, type);
    }
    FusedAllreduce.run(team, tensors, type, op, level);
  }

  @Override
  public void elasticAllreduce(
      MemorySegment shards, int shardCount, MemorySegment result, DType type, ReduceOp op) {
    checkElements(result, type);
    ElasticAllreduce.run(team, shards, shardCount, result, type, op);
  }

  @Override
  public void reduceScatter(
      MemorySegment data, MemorySegment mine, long[] lengths, DType type, ReduceOp op) {
    for (long length : lengths) {
      checkElements(length, type);
    }
    ReduceScatter.run(team, data, mine, lengths, type, op);
  }

  @Override
  public void reduce(MemorySegment data, DType type, ReduceOp op, int root) {
    checkElements(data, type);
    checkRank(root);
    Reduce.run(team, data, type, op, root);
  }

  @Override
  public void broadcast(MemorySegment data, int root) {
    checkRank(root);
    Broadcast.run(team, data, root);
  }

  @Override
  public void allgather(MemorySegment mine, MemorySegment all, long[] lengths) {
    Allgather.run(team, mine, all, lengths);
  }

  @Override
  public void gather(MemorySegment mine, MemorySegment all, long[] lengths, int root) {
    checkRank(root);
    Gather.run(team, mine, all, lengths, root);
  }

  @Override
  public void scatter(MemorySegment all, MemorySegment mine, long[] lengths, int root) {
    checkRank(root);
    Scatter.run(team, all, mine, lengths, root);
  }

  @Override
  public void allToAll(MemorySegment outgoing, MemorySegment incoming) {
    AllToAll.run(team, outgoing, incoming);
  }

  @Override
  public void exchange(List<Message> outgoing, List<Message> incoming) {
    MessageExchange.run(team, outgoing, incoming);
  }

  @Override
  public void send(MemorySegment data, int to) {
    checkOther(to);
    team.sendMessage(to, data);
  }

  @Override
  public void receive(MemorySegment target, int from) {
    checkOther(from);
    team.receiveMessage(from, target);
  }

  @Override
  public void barrier() {
    Barrier.run(team);
  }

  private static void checkElements(MemorySegment data, DType type) {
    checkElements(data.byteSize(), type);
  }

  private static void checkElements(long bytes, DType type) {
    if (bytes % type.bytes() != 0) {
      throw new IllegalArgumentException(
          "%d bytes are no whole number of %s elements".formatted(bytes, type));
    }
  }

  private void checkRank(int rank) {
    if (rank < 0 || rank >= size()) {
      throw new IllegalArgumentException("there is no rank %d of %d".formatted(rank, size()));
    }
  }

  private void checkOther(int rank) {
    checkRank(rank);
    if (rank == rank()) {
      throw new IllegalArgumentException("rank " + rank + " cannot send to itself");
    }
  }
}
