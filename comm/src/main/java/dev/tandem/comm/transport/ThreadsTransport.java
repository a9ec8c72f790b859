package dev.tandem.comm.transport;

import dev.tandem.core.PeerLostException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * Ranks as threads of one JVM: a message is copied once if its receiver waits, else twice;
 * collectives may go over {@link SharedSlots} in the JVM's own memory. For tests and for machines
 * where processes are too heavy.
 */
public final class ThreadsTransport implements Transport {

  private static final long PAGE = 4096;

  private final Hub hub;
  private final int rank;
  private final Mailbox[] mailboxes;
  private final TrafficMeter meter = new TrafficMeter();
  private final OpenSharedSlots sharedSlots = new OpenSharedSlots();
  private final Faults faults = new Faults(new Neighbours());
  private volatile boolean left;

  /** What the ranks of one job have in common. */
  private record Hub(
      List<ThreadsTransport> ranks,
      Map<SlotsName, MemorySegment> sharedSlots,
      boolean withSharedSlots,
      List<Integer> hosts) {}

  /** Hosts may each share slots on the same channel: the first member tells them apart. */
  private record SlotsName(int channel, int first) {}

  private ThreadsTransport(Hub hub, int rank, int size) {
    this.hub = hub;
    this.rank = rank;
    this.mailboxes = new Mailbox[size];
    for (int peer = 0; peer < size; peer++) {
      mailboxes[peer] = new Mailbox(peer);
    }
  }

  /**
   * One transport for each rank of a new job.
   *
   * @param withSharedSlots whether teams share memory, or only send messages
   */
  public static List<Transport> create(int size, boolean withSharedSlots) {
    return create(new int[size], withSharedSlots);
  }

  /**
   * A job that pretends to run on several hosts: only teams within one of them share memory.
   *
   * @param hosts the number of every rank's host, from 0
   */
  public static List<Transport> create(int[] hosts, boolean withSharedSlots) {
    Hub hub =
        new Hub(
            new ArrayList<>(),
            new ConcurrentHashMap<>(),
            withSharedSlots,
            IntStream.of(hosts).boxed().toList());
    for (int rank = 0; rank < hosts.length; rank++) {
      hub.ranks.add(new ThreadsTransport(hub, rank, hosts.length));
    }
    return List.copyOf(hub.ranks);
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return mailboxes.length;
  }

  @Override
  public int host(int ofRank) {
    return hub.hosts.get(ofRank);
  }

  @Override
  public void send(int to, int channel, MemorySegment data) {
    checkOpen();
    Neighbour receiver = new Neighbour(to);
    if (receiver.gone()) {
      throw receiver.lost();
    }
    Mailbox mailbox = hub.ranks.get(to).mailboxes[rank];
    Optional<Receipt> receipt = mailbox.claim(channel, data.byteSize());
    if (receipt.isPresent()) {
      receipt.get().target().copyFrom(data);
      receipt.get().complete();
    } else {
      MemorySegment copy = MemorySegment.ofArray(new byte[Math.toIntExact(data.byteSize())]);
      copy.copyFrom(data);
      mailbox.deliver(channel, copy);
    }
    meter.sent(data.byteSize());
  }

  @Override
  public void receive(int from, int channel, MemorySegment target) {
    checkOpen();
    await(from, mailboxes[from].post(channel, target));
  }

  @Override
  public void exchange(int to, MemorySegment data, int from, MemorySegment target, int channel) {
    checkOpen();
    Receipt receipt = mailboxes[from].post(channel, target);
    try {
      send(to, channel, data);
    } catch (RuntimeException e) {
      receipt.abandon();
      throw e;
    }
    await(from, receipt);
  }

  @Override
  public Arrival expect(int from, int channel, MemorySegment target) {
    checkOpen();
    Receipt receipt = mailboxes[from].post(channel, target);
    return new Arrival() {
      @Override
      public void await() {
        ThreadsTransport.this.await(from, receipt);
      }

      @Override
      public void abandon() {
        receipt.abandon();
      }
    };
  }

  private void await(int from, Receipt receipt) {
    receipt.await(new Neighbour(from));
    meter.received(receipt.target().byteSize());
  }

  private void checkOpen() {
    faults.check();
    if (left) {
      throw new IllegalStateException("rank " + rank + " has closed its communicator");
    }
  }

  @Override
  public Optional<SharedSlots> slots(int channel, int[] members, Optional<WaitPolicy> waiting) {
    if (!hub.withSharedSlots || IntStream.of(members).map(this::host).distinct().count() > 1) {
      return Optional.empty();
    }
    // The garbage collector frees the memory when the job is over.
    MemorySegment memory =
        hub.sharedSlots.computeIfAbsent(
            new SlotsName(channel, members[0]),
            name -> Arena.ofAuto().allocate(SharedSlots.bytes(members.length), PAGE));
    List<PeerWatch> watches = new ArrayList<>();
    int place = -1;
    for (int member = 0; member < members.length; member++) {
      watches.add(new Neighbour(members[member]));
      place = members[member] == rank ? member : place;
    }
    WaitPolicy policy = waiting.orElseGet(() -> WaitPolicy.forRank(rank, mailboxes.length));
    return Optional.of(
        sharedSlots.add(
            new SharedSlots(memory, Arena.ofShared(), place, watches, policy, meter, sharedSlots)));
  }

  @Override
  public Traffic traffic() {
    return meter.reading();
  }

  @Override
  public void close() {
    if (faults.known()) {
      faults.awaitPublished();
    }
    left = true;
    for (ThreadsTransport other : hub.ranks) {
      other.mailboxes[rank].nudgeAll();
      other.sharedSlots.nudgeAll();
    }
  }

  /** Another rank, as one who waits for it sees it. */
  private final class Neighbour implements PeerWatch {

    private final int peer;

    Neighbour(int peer) {
      this.peer = peer;
    }

    @Override
    public void check() {
      faults.check();
    }

    @Override
    public boolean gone() {
      return hub.ranks.get(peer).left;
    }

    @Override
    public PeerLostException lost() {
      return faults.loseAndThrow(peer, "it left the job while others needed it");
    }
  }

  private final class Neighbours implements Faults.Response {

    @Override
    public void announce(int lostRank, String reason) {
      for (ThreadsTransport other : hub.ranks) {
        if (other.rank != rank && !other.left) {
          other.faults.lose(lostRank, reason);
        }
      }
    }

    @Override
    public void wake() {
      for (Mailbox mailbox : mailboxes) {
        mailbox.nudgeAll();
      }
      sharedSlots.nudgeAll();
    }
  }
}
