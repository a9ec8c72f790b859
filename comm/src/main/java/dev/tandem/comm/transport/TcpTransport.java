package dev.tandem.comm.transport;

import dev.tandem.comm.rendezvous.Deadline;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.Membership;
import dev.tandem.comm.topology.Topology;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * One or more TCP connections between every two ranks. Losses show as a broken connection at once,
 * or as silence: every rank gives a sign of life ten times within the limit, from the moment it is
 * connected to all others; until its first it may be as late as joining may take.
 */
public final class TcpTransport implements Transport {

  private static final int BEATS_PER_LIMIT = 10;

  /** How long a leaver waits until all ranks have heard its goodbye; they answer at once. */
  private static final Duration FAREWELL = Duration.ofSeconds(1);

  /** The same when a rank is lost, and others may be with it: those that live answer at once. */
  private static final Duration FAREWELL_AFTER_LOSS = Duration.ofMillis(200);

  private final int rank;
  private final TcpPeer[] peers;
  private final Membership membership;
  private final int[] hosts;
  private final Duration silenceLimit;
  private final TrafficMeter meter = new TrafficMeter();
  private final Faults faults = new Faults(new Neighbours());
  private final OpenSharedSlots sharedSlots = new OpenSharedSlots();
  private final SelectorWait.Pool waits;
  private final TcpCalls calls;
  private final LaneKeeper keeper;
  private volatile Optional<LocalMessages> localMessages = Optional.empty();
  private volatile boolean closed;

  private TcpTransport(JobEnvironment job, TcpMesh mesh, Duration silenceLimit) {
    this.rank = job.rank();
    this.peers = new TcpPeer[job.size()];
    this.membership = mesh.membership();
    this.hosts = IntStream.range(0, job.size()).map(membership.topology()::host).toArray();
    this.silenceLimit = silenceLimit;
    this.waits =
        new SelectorWait.Pool(
            WaitPolicy.forRank(topology().localRank(rank), topology().localSize(rank)));
    List<TcpLane> lanes = new ArrayList<>();
    for (int peer = 0; peer < peers.length; peer++) {
      if (peer != rank) {
        peers[peer] = new TcpPeer(peer, mesh.wires().get(peer), faults, this::wakeKeeper);
        lanes.addAll(peers[peer].lanes());
      }
    }
    this.calls = new TcpCalls(faults, waits, lanes);
    this.keeper = new LaneKeeper(lanes, "tandem-lanes-" + rank);
  }

  private void wakeKeeper() {
    keeper.wake();
  }

  /**
   * Joins the job and connects to all its ranks.
   *
   * @param silenceLimit after how long without a sign of life a rank counts as lost
   * @param patience how long joining and connecting may take
   */
  public static TcpTransport join(JobEnvironment job, Duration silenceLimit, Duration patience) {
    long joined = System.nanoTime() + patience.toNanos();
    TcpTransport transport = new TcpTransport(job, TcpMesh.connect(job, patience), silenceLimit);
    transport.start(joined);
    return transport;
  }

  /**
   * Starts to read, to give signs of life and to wait for them.
   *
   * @param joined until when others may still be connecting among themselves, and be silent
   */
  private void start(long joined) {
    for (TcpPeer peer : peers) {
      if (peer != null) {
        peer.forgive();
        peer.forgiveUntil(joined);
      }
    }
    if (peers.length > 1) {
      keeper.start();
      Thread.ofPlatform().daemon().name("tandem-heartbeat-" + rank).start(this::beat);
      Thread.ofPlatform().daemon().name("tandem-liveness-" + rank).start(this::watch);
    }
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return peers.length;
  }

  @Override
  public void send(int to, int channel, MemorySegment data) {
    checkOpen();
    for (MemorySegment frame : Frames.of(data)) {
      calls.send(channel, peers[to], frame);
    }
    meter.sent(data.byteSize());
  }

  @Override
  public void receive(int from, int channel, MemorySegment target) {
    checkOpen();
    for (MemorySegment frame : Frames.of(target)) {
      calls.receive(channel, peers[from], frame);
    }
    meter.received(target.byteSize());
  }

  @Override
  public void exchange(int to, MemorySegment data, int from, MemorySegment target, int channel) {
    checkOpen();
    Frames outgoing = Frames.of(data);
    Frames incoming = Frames.of(target);
    calls.exchange(channel, peers[to], outgoing.first(), peers[from], incoming.first());
    Iterator<MemorySegment> more = incoming.rest().iterator();
    for (MemorySegment frame : outgoing.rest()) {
      if (more.hasNext()) {
        calls.exchange(channel, peers[to], frame, peers[from], more.next());
      } else {
        calls.send(channel, peers[to], frame);
      }
    }
    while (more.hasNext()) {
      calls.receive(channel, peers[from], more.next());
    }
    meter.sent(data.byteSize());
    meter.received(target.byteSize());
  }

  @Override
  public int host(int ofRank) {
    return hosts[ofRank];
  }

  @Override
  public Topology topology() {
    return membership.topology();
  }

  @Override
  public Arrival expect(int from, int channel, MemorySegment target) {
    checkOpen();
    if (target.byteSize() > TcpPeer.MAXIMUM_FRAME) {
      return () -> receive(from, channel, target);
    }
    return calls.expect(channel, peers[from], target, meter);
  }

  /** Shared slots whose waits hear of losses over the connections. */
  SharedSlots slots(MemorySegment memory, Arena arena, int[] members, WaitPolicy policy) {
    List<PeerWatch> watches = new ArrayList<>();
    int place = -1;
    for (int member = 0; member < members.length; member++) {
      watches.add(peers[members[member]]);
      place = members[member] == rank ? member : place;
    }
    return sharedSlots.add(
        new SharedSlots(memory, arena, place, watches, policy, meter, sharedSlots));
  }

  /**
   * Messages to some ranks through memory that this rank shares with them; who waits there hears of
   * losses over the connections. The caller closes it after this.
   */
  LocalMessages localMessages(MemorySegment memory, Arena arena, int[] members, WaitPolicy policy) {
    LocalMessages messages =
        new LocalMessages(memory, arena, rank, members, peers, faults, meter, policy).start();
    localMessages = Optional.of(messages);
    return messages;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("rank " + rank + " has closed its communicator");
    }
  }

  @Override
  public Traffic traffic() {
    return meter.reading();
  }

  private void beat() {
    while (!closed && !faults.known()) {
      for (TcpPeer peer : peers) {
        if (peer != null) {
          peer.heartbeat();
        }
      }
      pause();
    }
  }

  private void watch() {
    long last = System.nanoTime();
    while (!closed && !faults.known()) {
      pause();
      long now = System.nanoTime();
      boolean asleep = now - last > silenceLimit.toNanos() / 2;
      last = now;
      for (TcpPeer peer : peers) {
        if (peer == null) {
          continue;
        }
        if (asleep) {
          // This process itself stood still: what others said meanwhile is still to be read.
          peer.forgive();
        } else if (peer.silentFor(silenceLimit, now)) {
          lose(peer);
        }
      }
    }
  }

  private void lose(TcpPeer peer) {
    for (int lost = 0; lost < peers.length; lost++) {
      if (peers[lost] == peer) {
        faults.lose(lost, "no sign of life for %.1f s".formatted(silenceLimit.toMillis() / 1e3));
        peer.disconnect();
      }
    }
  }

  private void pause() {
    LockSupport.parkNanos(silenceLimit.toNanos() / BEATS_PER_LIMIT);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (faults.known()) {
      faults.awaitPublished();
    }
    closed = true;
    List<TcpPeer> others = Arrays.stream(peers).filter(Objects::nonNull).toList();
    others.forEach(TcpPeer::sayGoodbye);
    keeper.wake();
    Deadline deadline = Deadline.in(faults.known() ? FAREWELL_AFTER_LOSS : FAREWELL);
    others.forEach(peer -> peer.leave(deadline));
    keeper.close();
    waits.close();
    membership.close();
  }

  private final class Neighbours implements Faults.Response {

    private static final Duration PATIENCE = Duration.ofMillis(100);

    @Override
    public void announce(int lostRank, String reason) {
      membership.reportLoss(lostRank);
      List<TcpPeer> others =
          Arrays.stream(peers)
              .filter(Objects::nonNull)
              .filter(peer -> peer.rank() != lostRank)
              .toList();
      others.forEach(peer -> peer.announce(lostRank, reason));
      Deadline deadline = Deadline.in(PATIENCE);
      others.forEach(peer -> peer.awaitPosted(deadline));
      if (lostRank != rank) {
        peers[lostRank].disconnect();
      }
    }

    @Override
    public void wake() {
      for (TcpPeer peer : peers) {
        if (peer != null) {
          peer.wake();
        }
      }
      waits.wakeAll();
      sharedSlots.nudgeAll();
      localMessages.ifPresent(LocalMessages::wake);
    }
  }
}
