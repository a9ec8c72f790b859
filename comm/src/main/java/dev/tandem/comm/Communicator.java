package dev.tandem.comm;

import dev.tandem.comm.collective.Agreement;
import dev.tandem.comm.collective.Allreduce;
import dev.tandem.comm.collective.AllreduceAlgorithm;
import dev.tandem.comm.collective.CollectiveSettings;
import dev.tandem.comm.collective.Collectives;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.comm.collective.Message;
import dev.tandem.comm.collective.Team;
import dev.tandem.comm.collective.TeamCollectives;
import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.rendezvous.GenerationLine;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.JobFile;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.comm.rendezvous.TlsKeys;
import dev.tandem.comm.topology.Topology;
import dev.tandem.comm.transport.TcpTransport;
import dev.tandem.comm.transport.ThreadsTransport;
import dev.tandem.comm.transport.Traffic;
import dev.tandem.comm.transport.Transport;
import dev.tandem.comm.transport.WaitPolicy;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
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

  /** How long the ranks of a generation, which are all there, take at most to meet. */
  private static final Duration MEETING = Duration.ofSeconds(20);

  private final Transport transport;
  private final Groups groups;
  private final Team team;
  private final TeamCollectives collectives;
  private final ProgressThread progress;
  private final Determinism level;
  private final Ownership ownership;

  /** What is closed with a communicator. */
  private enum Ownership {
    TRANSPORT_AND_TEAM,
    TEAM,
    NOTHING
  }

  private Communicator(
      Transport transport,
      Groups groups,
      Team team,
      ProgressThread progress,
      Determinism level,
      Ownership ownership) {
    this.transport = transport;
    this.groups = groups;
    this.team = team;
    this.collectives = new TeamCollectives(team, level);
    this.progress = progress;
    this.level = level;
    this.ownership = ownership;
  }

  /**
   * Joins the job that the environment variables of this process describe, or the file that they
   * name, or is alone if they do neither.
   */
  public static Communicator join() {
    Map<String, String> variables = System.getenv();
    FaultLimits limits = FaultLimits.of(variables);
    TransportKind kind = TransportKind.of(variables);
    CollectiveSettings settings = CollectiveSettings.of(variables);
    Optional<JobFile> file = JobFile.of(variables);
    if (file.isPresent()) {
      Optional<TlsKeys> tls = TlsKeys.of(variables);
      return join(file.get(), JobEnvironment.rank(variables), tls, limits, kind, settings);
    }
    return JobEnvironment.of(variables)
        .map(job -> join(job, limits, kind, settings))
        .orElseGet(() -> over(ThreadsTransport.create(1, false).getFirst(), settings));
  }

  /**
   * Joins a generation of a job; all its ranks are there, so a rank that does not join soon is
   * lost.
   *
   * @throws dev.tandem.core.WorkFailedException if one of them is lost meanwhile, or {@link
   *     dev.tandem.core.PeerLostException}
   */
  public static Communicator join(GenerationLine.RankAssignment assignment) {
    Map<String, String> variables = System.getenv();
    FaultLimits limits = new FaultLimits(FaultLimits.of(variables).silence(), MEETING);
    return join(
        assignment.job(), limits, TransportKind.of(variables), CollectiveSettings.of(variables));
  }

  /** Joins the job of a file; who has to opens its meeting point until all have joined. */
  static Communicator join(
      JobFile file,
      int rank,
      Optional<TlsKeys> tls,
      FaultLimits limits,
      TransportKind kind,
      CollectiveSettings settings) {
    Optional<RendezvousHost> meetingPoint =
        file.open(rank, tls, limits.joining(), line -> System.err.println("tandem: " + line));
    try {
      return join(file.environment(rank).over(tls), limits, kind, settings);
    } finally {
      meetingPoint.ifPresent(RendezvousHost::close);
    }
  }

  /** Joins a job with default settings and waits until all its ranks have. */
  public static Communicator join(JobEnvironment job, FaultLimits limits, TransportKind kind) {
    return join(job, limits, kind, CollectiveSettings.DEFAULT);
  }

  /** Joins a job and waits until all its ranks have, with the same settings in all of them. */
  public static Communicator join(
      JobEnvironment job, FaultLimits limits, TransportKind kind, CollectiveSettings settings) {
    Transport transport = kind.over(TcpTransport.join(job, limits.silence(), limits.joining()));
    Communicator communicator = over(transport, settings);
    try {
      Agreement.check(communicator.team);
    } catch (RuntimeException e) {
      communicator.close();
      throw e;
    }
    return communicator;
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
    return over(transport, CollectiveSettings.DEFAULT);
  }

  /** All ranks of a transport, with settings that must be the same in all of them. */
  public static Communicator over(Transport transport, CollectiveSettings settings) {
    return new Communicator(
        transport,
        new Groups(transport.rank()),
        Team.everyone(transport, Groups.ALL, settings),
        new ProgressThread(transport.rank()),
        settings.determinism(),
        Ownership.TRANSPORT_AND_TEAM);
  }

  /**
   * Forms a group of some ranks of this communicator, numbered from 0 in the order given. Exactly
   * its members call this, at the same place in the order of their operations; groups may overlap.
   * Close it before this communicator.
   */
  public Communicator group(int... ranks) {
    return group(Optional.empty(), ranks);
  }

  /**
   * The same for a group whose members wait for each other in a way of their own where they share
   * memory; all of them name the same manner.
   */
  public Communicator group(WaitPolicy waiting, int... ranks) {
    return group(Optional.of(waiting), ranks);
  }

  private Communicator group(Optional<WaitPolicy> waiting, int... ranks) {
    progress.drain();
    int channel = groups.agree(team, ranks);
    return new Communicator(
        transport,
        groups,
        team.group(channel, waiting, ranks),
        new ProgressThread(transport.rank()),
        level,
        Ownership.TEAM);
  }

  /**
   * How this rank waits in this group from its next wait on, where members share memory; elsewhere
   * nothing changes. Each rank may choose for itself, and any thread may do so at any time, also
   * while another one is inside a collective of the group.
   */
  public void waitBy(WaitPolicy policy) {
    team.waitBy(policy);
  }

  /**
   * The same communicator at another level of determinism: its operations and those of this one
   * take effect in the order of the program. All ranks use the same view for an operation. Nothing
   * needs closing.
   */
  public Communicator at(Determinism other) {
    team.settings().at(other);
    return new Communicator(transport, groups, team, progress, other, Ownership.NOTHING);
  }

  /** The level of determinism of this communicator. */
  public Determinism determinism() {
    return level;
  }

  /** The algorithm that {@link #allreduce} would use; the same in all ranks. */
  public AllreduceAlgorithm allreduceAlgorithm(long bytes, DType type, ReduceOp op) {
    return Allreduce.choice(team, bytes, type, op, level);
  }

  /** Allreduce by one algorithm, which all ranks name, whatever settings and level say. */
  void allreduce(MemorySegment data, DType type, ReduceOp op, AllreduceAlgorithm algorithm) {
    progress.drain();
    Allreduce.run(team, data, type, op, algorithm);
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
  public TeamPosition position() {
    return team.position();
  }

  /** What this rank has sent and received so far, in all groups. */
  public Traffic traffic() {
    return team.traffic();
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
  public void fusedAllreduce(List<MemorySegment> tensors, DType type, ReduceOp op) {
    now().fusedAllreduce(tensors, type, op);
  }

  @Override
  public void elasticAllreduce(
      MemorySegment shards, int shardCount, MemorySegment result, DType type, ReduceOp op) {
    now().elasticAllreduce(shards, shardCount, result, type, op);
  }

  @Override
  public void reduceScatter(
      MemorySegment data, MemorySegment mine, long[] lengths, DType type, ReduceOp op) {
    now().reduceScatter(data, mine, lengths, type, op);
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
  public void exchange(List<Message> outgoing, List<Message> incoming) {
    now().exchange(outgoing, incoming);
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
   * does not close the communicator it was formed from; closing a view does nothing.
   */
  @Override
  public void close() {
    switch (ownership) {
      case TRANSPORT_AND_TEAM -> {
        progress.close();
        transport.close();
        team.close();
      }
      case TEAM -> {
        progress.close();
        team.close();
      }
      case NOTHING -> {}
    }
  }
}
