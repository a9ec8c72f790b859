package dev.tandem.comm;

import dev.tandem.comm.collective.Collectives;
import dev.tandem.comm.collective.HaloExchange;
import dev.tandem.comm.collective.Place;
import dev.tandem.comm.collective.Team;
import dev.tandem.comm.collective.TeamCollectives;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.JobFile;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.comm.rendezvous.Topology;
import dev.tandem.comm.transport.TcpTransport;
import dev.tandem.comm.transport.ThreadsTransport;
import dev.tandem.comm.transport.Traffic;
import dev.tandem.comm.transport.Transport;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The ranks of a job, or a group of them, calling collectives together. The calls of {@link
 * Collectives} wait for their result; {@link #start} lets operations go on by themselves. Started
 * operations and calls take effect in the order of the program.
 *
 * <p>Communicators of different groups are independent of each other: each may be used by a thread
 * of its own, and what one waits for does not hold up another.
 *
 * <p>After a {@link dev.tandem.core.PeerLostException} close the communicator: closing tells the
 * others which rank was lost.
 */
public final class Communicator implements Collectives, AutoCloseable {

  private final Transport transport;
  private final Groups groups;
  private final Team team;
  private final TeamCollectives collectives;
  private final ProgressThread progress;
  private final boolean ownsTransport;

  private Communicator(Transport transport, Groups groups, Team team, boolean ownsTransport) {
    this.transport = transport;
    this.groups = groups;
    this.team = team;
    this.collectives = new TeamCollectives(team);
    this.progress = new ProgressThread("tandem-progress-" + transport.rank());
    this.ownsTransport = ownsTransport;
  }

  /**
   * Joins the job that the environment variables of this process describe, or the file that they
   * name, or is alone if they do neither.
   */
  public static Communicator join() {
    Map<String, String> variables = System.getenv();
    FaultLimits limits = FaultLimits.of(variables);
    TransportKind kind = TransportKind.of(variables);
    Optional<JobFile> file = JobFile.of(variables);
    if (file.isPresent()) {
      return join(file.get(), JobEnvironment.rank(variables), limits, kind);
    }
    return JobEnvironment.of(variables)
        .map(job -> join(job, limits, kind))
        .orElseGet(Communicator::alone);
  }

  /** Joins the job of a file; who has to opens its meeting point until all have joined. */
  static Communicator join(JobFile file, int rank, FaultLimits limits, TransportKind kind) {
    Optional<RendezvousHost> meetingPoint =
        file.open(rank, limits.joining(), line -> System.err.println("tandem: " + line));
    try {
      return join(file.environment(rank), limits, kind);
    } finally {
      meetingPoint.ifPresent(RendezvousHost::close);
    }
  }

  /** Joins a job and waits until all its ranks have. */
  public static Communicator join(JobEnvironment job, FaultLimits limits, TransportKind kind) {
    return over(kind.over(TcpTransport.join(job, limits.silence(), limits.joining())));
  }

  /** A job of one. */
  public static Communicator alone() {
    return over(ThreadsTransport.create(1, false).getFirst());
  }

  /** A job whose ranks are threads of this JVM: one communicator for each. */
  public static List<Communicator> threads(int size) {
    return ThreadsTransport.create(size, true).stream().map(Communicator::over).toList();
  }

  /**
   * All ranks of a transport, which is closed with the communicator. All ranks do this at the same
   * time.
   */
  public static Communicator over(Transport transport) {
    return new Communicator(
        transport, new Groups(transport.rank()), Team.everyone(transport, Groups.ALL), true);
  }

  /**
   * Forms a group of some ranks of this communicator, numbered from 0 in the order given. Exactly
   * its members call this, at the same place in the order of their operations; groups may overlap.
   * Close it before this communicator.
   */
  public Communicator group(int... ranks) {
    progress.drain();
    int channel = groups.agree(team, ranks);
    return new Communicator(
        transport, groups, new Team(transport, channel, team.members(ranks)), false);
  }

  /**
   * Forms the group of the ranks on this rank's host; all ranks of this communicator call it, at
   * the same place in the order of their operations.
   */
  public Communicator sameHost() {
    Topology topology = topology();
    return group(topology.ranksOf(topology.host(rank())));
  }

  /**
   * Forms the group of the lowest ranks of all hosts; all ranks of this communicator call it, at
   * the same place in the order of their operations. Empty for who is not one of them.
   */
  public Optional<Communicator> leaders() {
    int[] leaders = topology().leaders();
    return Arrays.stream(leaders).anyMatch(leader -> leader == rank())
        ? Optional.of(group(leaders))
        : Optional.empty();
  }

  /** Which rank of this communicator is on which host. */
  public Topology topology() {
    int[] everyone = IntStream.range(0, size()).toArray();
    List<String> names = transport.topology().names();
    return new Topology(Arrays.stream(team.members(everyone)).mapToObj(names::get).toList());
  }

  /**
   * Starts operations that go on by themselves, after all that was started before. The memory must
   * be accessible from any thread and is borrowed until the handle is done.
   */
  public Handle start(Consumer<Collectives> operations) {
    return progress.start(() -> operations.accept(collectives));
  }

  /** What the {@code cost} functions of the collectives need to know about this communicator. */
  public Place place() {
    return team.place();
  }

  /** What this rank has sent and received so far, in all groups. */
  public Traffic traffic() {
    return transport.traffic();
  }

  private TeamCollectives now() {
    progress.drain();
    return collectives;
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
    now().allreduce(data, type, op);
  }

  @Override
  public void elasticAllreduce(
      MemorySegment shards, int shardCount, MemorySegment result, DType type, ReduceOp op) {
    now().elasticAllreduce(shards, shardCount, result, type, op);
  }

  @Override
  public void reduceScatter(MemorySegment data, MemorySegment mine, DType type, ReduceOp op) {
    now().reduceScatter(data, mine, type, op);
  }

  @Override
  public void reduce(MemorySegment data, DType type, ReduceOp op, int root) {
    now().reduce(data, type, op, root);
  }

  @Override
  public void broadcast(MemorySegment data, int root) {
    now().broadcast(data, root);
  }

  @Override
  public void allgather(MemorySegment mine, MemorySegment all, long[] lengths) {
    now().allgather(mine, all, lengths);
  }

  @Override
  public void gather(MemorySegment mine, MemorySegment all, long[] lengths, int root) {
    now().gather(mine, all, lengths, root);
  }

  @Override
  public void scatter(MemorySegment all, MemorySegment mine, long[] lengths, int root) {
    now().scatter(all, mine, lengths, root);
  }

  @Override
  public void allToAll(MemorySegment outgoing, MemorySegment incoming) {
    now().allToAll(outgoing, incoming);
  }

  @Override
  public void haloExchange(HaloExchange.Side lower, HaloExchange.Side upper) {
    now().haloExchange(lower, upper);
  }

  @Override
  public void send(MemorySegment data, int to) {
    now().send(data, to);
  }

  @Override
  public void receive(MemorySegment target, int from) {
    now().receive(target, from);
  }

  @Override
  public void barrier() {
    now().barrier();
  }

  /**
   * Waits for what was started and leaves. Others go on until they need this rank. Closing a group
   * does not close the communicator it was formed from.
   */
  @Override
  public void close() {
    progress.close();
    if (ownsTransport) {
      transport.close();
    }
    team.close();
  }
}
