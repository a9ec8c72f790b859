package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.comm.transport.Arrival;
import dev.tandem.comm.transport.SharedSlots;
import dev.tandem.comm.transport.Traffic;
import dev.tandem.comm.transport.Transport;
import dev.tandem.comm.transport.WaitPolicy;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/**
 * Some ranks of a job that call collectives together, numbered from 0 in their order here, over a
 * channel of their own and, where there is one, shared slots. Owns the scratch memory of its
 * collectives. For one thread at a time.
 */
public final class Team implements AutoCloseable {

  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private final Transport transport;
  private final int channel;
  private final int[] members;
  private final int rank;
  private final CollectiveSettings settings;
  private final Optional<WaitPolicy> waiting;
  private final Layout layout;
  private final Optional<SharedSlots> slots;
  private final Optional<Team> local;
  private final Optional<Team> sameLocalRank;
  private final TeamPosition position;
  private final Map<DType, Map<ReduceOp, Reduction>> reductions = new EnumMap<>(DType.class);
  private final Scratch scratch = new Scratch();
  private final Scratch result = new Scratch();
  private final Scratch partials = new Scratch();
  private final Scratch fused = new Scratch();
  private Optional<ElasticMemory> elastic = Optional.empty();
  private final Arrivals arrivals;
  // Of all teams of this rank; turns of shared slots are counted by the transport.
  private final LongAdder messageSteps;

  private Team(
      Transport transport,
      int channel,
      int[] members,
      CollectiveSettings settings,
      Optional<WaitPolicy> waiting,
      LongAdder messageSteps) {
    this.transport = transport;
    this.channel = channel;
    this.members = members.clone();
    this.rank = indexOf(transport.rank(), members);
    this.settings = settings;
    this.waiting = waiting;
    this.messageSteps = messageSteps;
    this.layout = Layout.of(IntStream.of(members).map(transport::host).toArray());
    this.arrivals = new Arrivals(this);
    this.slots =
        members.length > 1 && !layout.spans()
            ? transport.slots(channel, members, waiting)
            : Optional.empty();
    // Their messages need no channel of their own: all members do everything in the same order.
    this.local =
        layout.grouped()
            ? Optional.of(part(layout.members(layout.hostOf(rank))))
            : Optional.empty();
    this.sameLocalRank =
        layout.grouped() && layout.localRank(rank) < layout.fewest()
            ? Optional.of(part(layout.sameLocalRank(layout.localRank(rank))))
            : Optional.empty();
    this.position =
        new TeamPosition(rank, layout, local.map(Team::slots).orElse(slots).isPresent());
  }

  private Team part(int[] ranks) {
    return new Team(transport, channel, members(ranks), settings, waiting, messageSteps);
  }

  /**
   * All ranks of a job, which form the team at the same time.
   *
   * @param channel it and the next are used by no other team
   */
  public static Team everyone(Transport transport, int channel, CollectiveSettings settings) {
    int[] members = IntStream.range(0, transport.size()).toArray();
    return new Team(transport, channel, members, settings, Optional.empty(), new LongAdder());
  }

  /**
   * Some members of this team, numbered from 0 in this order, who form the new team at the same
   * time.
   *
   * @param newChannel known to all its members; it and the next are used by no other team of theirs
   * @param howToWait where they share memory, or what suits the ranks of the job
   */
  public Team group(int newChannel, Optional<WaitPolicy> howToWait, int... ranks) {
    return new Team(transport, newChannel, members(ranks), settings, howToWait, messageSteps);
  }

  private static int indexOf(int rank, int[] members) {
    for (int i = 0; i < members.length; i++) {
      if (members[i] == rank) {
        return i;
      }
    }
    throw new IllegalArgumentException("rank " + rank + " is not a member of the team");
  }

  public int rank() {
    return rank;
  }

  public int size() {
    return members.length;
  }

  /** What the costs of this team's collectives depend on. */
  public TeamPosition position() {
    return position;
  }

  /** What was chosen for the whole job. */
  public CollectiveSettings settings() {
    return settings;
  }

  /** What this rank has moved so far, in all teams. */
  public Traffic traffic() {
    return transport.traffic().withSteps(messageSteps.sum());
  }

  Layout layout() {
    return layout;
  }

  /** The members on this host, if there are several hosts and several members on one of them. */
  Optional<Team> local() {
    return local;
  }

  /**
   * The members with the same number on their hosts, in the order of hosts, if there is a {@link
   * #local} team and all hosts have as many members.
   */
  Optional<Team> sameLocalRank() {
    return sameLocalRank;
  }

  /** The first members of all hosts, if there is a {@link #local} team and this is one of them. */
  Optional<Team> hostLeaders() {
    return layout.localRank(rank) == 0 ? sameLocalRank : Optional.empty();
  }

  /** The ranks of the transport that these members of the team are. */
  public int[] members(int... ranks) {
    int[] chosen = new int[ranks.length];
    for (int i = 0; i < ranks.length; i++) {
      chosen[i] = members[ranks[i]];
    }
    return chosen;
  }

  /**
   * Tells some members a number that the first of them chooses; exactly those members call this.
   */
  public int tell(int[] ranks, IntSupplier choice) {
    int[] number = new int[1];
    MemorySegment message = MemorySegment.ofArray(number);
    if (ranks[0] != rank) {
      receive(ranks[0], message);
      return number[0];
    }
    number[0] = choice.getAsInt();
    for (int i = 1; i < ranks.length; i++) {
      send(ranks[i], message);
    }
    return number[0];
  }

  /** The rank that lies this far ahead, going round. */
  int ahead(int distance) {
    return (rank + distance) % size();
  }

  /** The rank that lies this far before, going round. */
  int before(int distance) {
    return Math.floorMod(rank - distance, size());
  }

  /** Lets the shared slots compare what the members are about to do. */
  void fingerprint(long fingerprint) {
    slots.ifPresent(shared -> shared.fingerprint(fingerprint));
  }

  Optional<SharedSlots> slots() {
    return slots;
  }

  /** How this member waits in memory that it shares with others, from its next wait on. */
  public void waitBy(WaitPolicy policy) {
    slots.ifPresent(shared -> shared.waitBy(policy));
    local.ifPresent(near -> near.waitBy(policy));
  }

  void send(int to, MemorySegment data) {
    countStep();
    transport.send(members[to], channel, data);
  }

  void receive(int from, MemorySegment target) {
    countStep();
    transport.receive(members[from], channel, target);
  }

  void exchange(int to, MemorySegment data, int from, MemorySegment target) {
    countStep();
    transport.exchange(members[to], data, members[from], target, channel);
  }

  /** Sends what belongs to an exchange, whose step is counted when its message has arrived. */
  void sendPartOfExchange(int to, MemorySegment data) {
    transport.send(members[to], channel, data);
  }

  Arrival expect(int from, MemorySegment target) {
    return transport.expect(members[from], channel, target);
  }

  /** Exchanges that begin now and finish later; for one collective at a time, which closes it. */
  Arrivals arrivals() {
    return arrivals;
  }

  void countStep() {
    messageSteps.increment();
  }

  /** Sends outside of the collectives, matched by {@link #receiveMessage} alone. */
  void sendMessage(int to, MemorySegment data) {
    countStep();
    transport.send(members[to], channel + 1, data);
  }

  void receiveMessage(int from, MemorySegment target) {
    countStep();
    transport.receive(members[from], channel + 1, target);
  }

  /** Nothing, to be sent as a signal. */
  static MemorySegment nothing() {
    return NOTHING;
  }

  /** The reduction of this kind, kept because its blocks are worth reusing. */
  Reduction reduction(DType type, ReduceOp op) {
    return reductions
        .computeIfAbsent(type, key -> new EnumMap<>(ReduceOp.class))
        .computeIfAbsent(op, key -> new Reduction(type, op));
  }

  /** Native memory for the current collective; the next call may hand out the same. */
  MemorySegment scratch(long bytes) {
    return scratch.of(bytes);
  }

  /** Native memory for a result that is made while {@link #scratch} is in use. */
  MemorySegment result(long bytes) {
    return result.of(bytes);
  }

  /** Native memory for partial results that are made while both others are in use. */
  MemorySegment partials(long bytes) {
    return partials.of(bytes);
  }

  /** Native memory for what is reduced together, by whichever collective. */
  MemorySegment fused(long bytes) {
    return fused.of(bytes);
  }

  /** What elastic reductions keep, made when the first one comes. */
  ElasticMemory elastic() {
    if (elastic.isEmpty()) {
      elastic = Optional.of(new ElasticMemory(size(), rank));
    }
    return elastic.get();
  }

  @Override
  public void close() {
    elastic.ifPresent(ElasticMemory::close);
    sameLocalRank.ifPresent(Team::close);
    local.ifPresent(Team::close);
    slots.ifPresent(SharedSlots::close);
    fused.close();
    partials.close();
    result.close();
    scratch.close();
  }
}
