package dev.tandem.comm;

import dev.tandem.comm.collective.Allgather;
import dev.tandem.comm.collective.Allreduce;
import dev.tandem.comm.collective.Barrier;
import dev.tandem.comm.collective.Broadcast;
import dev.tandem.comm.collective.Team;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.transport.TcpTransport;
import dev.tandem.comm.transport.ThreadsTransport;
import dev.tandem.comm.transport.Traffic;
import dev.tandem.comm.transport.Transport;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The ranks of a job, calling collectives together: all ranks call the same operations in the same
 * order with data of the same length.
 *
 * <p>Determinism is at level {@code run}: every element is reduced in rank order, and all ranks get
 * the same bits, whatever the message size or the timing.
 *
 * <p>Memory is borrowed for the duration of a call; it may be native or on the heap, of any arena
 * that the calling thread may use. One thread at a time may call; it must not be interrupted.
 *
 * <p>Once a rank is lost, every call throws {@link dev.tandem.core.PeerLostException} naming it,
 * also one that already waits, and data may be half reduced. Close the communicator then.
 */
public final class Communicator implements AutoCloseable {

  private final Transport transport;
  private final Team team;

  private Communicator(Transport transport) {
    this.transport = transport;
    this.team = Team.everyone(transport);
  }

  /**
   * Joins the job that the environment variables of this process describe, or is alone if they
   * describe none.
   */
  public static Communicator join() {
    return JobEnvironment.of(System.getenv())
        .map(job -> join(job, FaultLimits.of(System.getenv())))
        .orElseGet(Communicator::alone);
  }

  /** Joins a job and waits until all its ranks have. */
  public static Communicator join(JobEnvironment job, FaultLimits limits) {
    return over(TcpTransport.join(job, limits.silence(), limits.joining()));
  }

  /** A job of one. */
  public static Communicator alone() {
    return threads(1).getFirst();
  }

  /** A job whose ranks are threads of this JVM: one communicator for each. */
  public static List<Communicator> threads(int size) {
    return ThreadsTransport.create(size).stream().map(Communicator::over).toList();
  }

  /** All ranks of a transport, which is closed with the communicator. */
  public static Communicator over(Transport transport) {
    return new Communicator(transport);
  }

  /** The number of this rank, from 0. */
  public int rank() {
    return team.rank();
  }

  /** How many ranks there are. */
  public int size() {
    return team.size();
  }

  /** Replaces the elements of all ranks by their reduction. */
  public void allreduce(MemorySegment data, DType type, ReduceOp op) {
    if (data.byteSize() % type.bytes() != 0) {
      throw new IllegalArgumentException(
          "%d bytes are no whole number of %s elements".formatted(data.byteSize(), type));
    }
    Allreduce.run(team, data, type, op);
  }

  /** Replaces the data of all ranks by that of the root. */
  public void broadcast(MemorySegment data, int root) {
    checkRank(root);
    Broadcast.run(team, data, root);
  }

  /**
   * Collects the data of all ranks, in rank order.
   *
   * @param mine this rank's data, as long in every rank
   * @param all as long as the data of all ranks together
   */
  public void allgather(MemorySegment mine, MemorySegment all) {
    Allgather.run(team, mine, all);
  }

  /** Returns when every rank has called it. */
  public void barrier() {
    Barrier.run(team);
  }

  /** What this rank has sent and received so far. */
  public Traffic traffic() {
    return transport.traffic();
  }

  private void checkRank(int rank) {
    if (rank < 0 || rank >= size()) {
      throw new IllegalArgumentException("there is no rank %d of %d".formatted(rank, size()));
    }
  }

  /** Leaves the job; others go on until they need this rank. */
  @Override
  public void close() {
    transport.close();
    team.close();
  }
}
