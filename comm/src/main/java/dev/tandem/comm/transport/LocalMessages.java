package dev.tandem.comm.transport;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Messages between ranks of one host, through rings in memory that they share; see {@code Note
 * [messages in shared memory]} in the description of the package. Calls may come from any thread;
 * owns the memory.
 */
final class LocalMessages implements Wakeable, AutoCloseable {

  private static final long LOOK_AGAIN_NANOS = 1_000_000;

  /** Of the keeper, which every sender without room signals. */
  private static final long KEEPER_NAP_NANOS = 1_000_000_000;

  private final Arena arena;
  // By rank; those of other hosts and this one are null.
  private final LocalPeer[] peers;
  private final List<LocalPeer> all = new ArrayList<>();
  private final WakeSignal signal;
  private final WakeSignal keeperSignal;
  private final Faults faults;
  private final TrafficMeter meter;
  private final ThreadLocal<SpinWait> spinWait;
  private final Thread keeper;
  private volatile boolean closed;

  /**
   * @param memory zeroed, the same for all members
   * @param arena what to close with this
   * @param members the ranks of this host, in the same order in all of them
   * @param connections to all ranks; to this one there is none
   */
  LocalMessages(
      MemorySegment memory,
      Arena arena,
      int rank,
      int[] members,
      TcpPeer[] connections,
      Faults faults,
      TrafficMeter meter,
      WaitPolicy policy) {
    this.arena = arena;
    this.peers = new LocalPeer[connections.length];
    this.faults = faults;
    this.meter = meter;
    this.spinWait = ThreadLocal.withInitial(() -> new SpinWait(policy));
    RingLayout layout = RingLayout.of(members.length);
    int me = indexOf(rank, members);
    this.signal = new WakeSignal(layout.signal(memory, me));
    this.keeperSignal = new WakeSignal(layout.keeperSignal(memory, me));
    for (int member = 0; member < members.length; member++) {
      if (member != me) {
        LocalPeer peer =
            new LocalPeer(
                connections[members[member]],
                new RingWriter(layout.ring(memory, me, member), layout),
                new RingReader(layout.ring(memory, member, me), layout),
                new WakeSignal(layout.signal(memory, member)),
                new WakeSignal(layout.keeperSignal(memory, member)),
                this::wake);
        peers[members[member]] = peer;
        all.add(peer);
      }
    }
    this.keeper = Thread.ofPlatform().daemon().name("tandem-rings-" + rank).unstarted(this::keep);
  }

  private static int indexOf(int rank, int[] members) {
    int index = 0;
    while (members[index] != rank) {
      index++;
    }
    return index;
  }

  LocalMessages start() {
    keeperSignal.enter();
    keeper.start();
    return this;
  }

  /** Whether messages to and from this rank go this way. */
  boolean reaches(int rank) {
    return peers[rank] != null;
  }

  void send(int to, int channel, MemorySegment data) {
    for (MemorySegment frame : Frames.of(data)) {
      LocalCall.send(this, channel, peers[to], frame).run();
    }
    meter.sent(data.byteSize());
  }

  void receive(int from, int channel, MemorySegment target) {
    for (MemorySegment frame : Frames.of(target)) {
      receiveFrame(from, channel, frame);
    }
    meter.received(target.byteSize());
  }

  private void receiveFrame(int from, int channel, MemorySegment frame) {
    check();
    LocalPeer peer = peers[from];
    LocalCall.receive(this, channel, peer, peer.post(channel, frame)).run();
  }

  void exchange(int to, MemorySegment data, int from, MemorySegment target, int channel) {
    Iterator<MemorySegment> outgoing = Frames.of(data).iterator();
    Iterator<MemorySegment> incoming = Frames.of(target).iterator();
    LocalPeer sender = peers[from];
    while (outgoing.hasNext() && incoming.hasNext()) {
      check();
      Receipt receipt = sender.post(channel, incoming.next());
      LocalCall.exchange(this, channel, peers[to], outgoing.next(), sender, receipt).run();
    }
    while (outgoing.hasNext()) {
      LocalCall.send(this, channel, peers[to], outgoing.next()).run();
    }
    while (incoming.hasNext()) {
      receiveFrame(from, channel, incoming.next());
    }
    meter.sent(data.byteSize());
    meter.received(target.byteSize());
  }

  /** Begins a receive of at most {@link TcpPeer#MAXIMUM_FRAME} bytes. */
  Arrival expect(int from, int channel, MemorySegment target) {
    check();
    LocalPeer peer = peers[from];
    Receipt receipt = peer.post(channel, target);
    return new Arrival() {
      @Override
      public void await() {
        LocalCall.receive(LocalMessages.this, channel, peer, receipt).run();
        meter.received(target.byteSize());
      }

      @Override
      public void abandon() {
        peer.abandon(receipt);
      }
    };
  }

  /** Throws if a rank was lost. */
  void check() {
    faults.check();
    if (closed) {
      throw new IllegalStateException("this rank has closed its communicator");
    }
  }

  /** Takes a fragment from anybody; says whether there was one. */
  boolean takeAny() {
    for (LocalPeer peer : all) {
      if (peer.take()) {
        return true;
      }
    }
    return false;
  }

  /** Wakes this rank's calls. */
  WakeSignal signal() {
    return signal;
  }

  /** How the calling thread waits, call after call. */
  SpinWait spinWait() {
    return spinWait.get();
  }

  /** Lets the calls of this rank look around. */
  @Override
  public synchronized void wake() {
    if (!closed) {
      signal.signal();
    }
  }

  /** Makes room for senders when no call of the program does. */
  private void keep() {
    while (!closed) {
      int counted = keeperSignal.count();
      boolean again = false;
      for (LocalPeer peer : all) {
        again |= peer.relieve();
      }
      if (again) {
        LockSupport.parkNanos(LOOK_AGAIN_NANOS);
      } else if (!closed) {
        keeperSignal.sleep(counted, KEEPER_NAP_NANOS);
      }
    }
  }

  /** Ends the sharing; others keep what was sent to them. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      signal.signal();
    }
    keeperSignal.signal();
    boolean interrupted = false;
    while (keeper.isAlive()) {
      try {
        keeper.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    try {
      arena.close();
    } catch (IllegalStateException e) {
      // A call that nobody waits for is still inside: the memory goes with the process.
    }
  }
}
