package dev.tandem.comm.transport;

import dev.tandem.comm.rendezvous.Deadline;
import dev.tandem.core.PeerLostException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Another rank, reached over one or more lanes. Large messages are cut alike on both sides and go
 * over all lanes at the same time, others over the first; so the order of a channel is kept on
 * every lane. The loss of one lane is the loss of the rank.
 */
final class TcpPeer implements PeerWatch {

  /** Larger messages travel as several, cut alike on both sides. */
  static final long MAXIMUM_FRAME = 256L << 20;

  /** Shorter messages gain nothing from several lanes. */
  private static final long STRIPED_BYTES = 256 << 10;

  private static final String LEFT = "it left the job while others needed it";

  private final int rank;
  private final List<TcpLane> lanes;
  private final Window window = new Window();
  private final Faults faults;

  /**
   * @param jammed called when something must be sent later, by a thread that has time
   */
  TcpPeer(int rank, List<Wire> wires, Faults faults, Runnable jammed) {
    this.rank = rank;
    this.faults = faults;
    this.lanes = wires.stream().map(wire -> new TcpLane(this, wire, faults, jammed)).toList();
  }

  int rank() {
    return rank;
  }

  List<TcpLane> lanes() {
    return lanes;
  }

  Window window() {
    return window;
  }

  /** One receive of a message, or of the part that comes over one lane. */
  record Incoming(TcpLane lane, Receipt receipt) {}

  /** Posts a receive on all lanes that the message uses. */
  List<Incoming> post(int channel, MemorySegment target, Runnable wake) {
    List<Incoming> incoming = new ArrayList<>(lanes.size());
    for (int i = 0; i < stripes(target); i++) {
      TcpLane lane = lanes.get(i);
      incoming.add(new Incoming(lane, lane.post(channel, stripe(target, i), wake)));
    }
    return incoming;
  }

  /** Prepares to send a message over the lanes that it uses. */
  List<Outgoing> prepare(int channel, MemorySegment message, Wakeable waiter) {
    List<Outgoing> outgoing = new ArrayList<>(lanes.size());
    for (int i = 0; i < stripes(message); i++) {
      outgoing.add(new Outgoing(lanes.get(i), channel, stripe(message, i), waiter));
    }
    return outgoing;
  }

  private int stripes(MemorySegment message) {
    return message.byteSize() < STRIPED_BYTES ? 1 : lanes.size();
  }

  private MemorySegment stripe(MemorySegment message, int index) {
    int count = stripes(message);
    long begin = message.byteSize() * index / count;
    long end = message.byteSize() * (index + 1) / count;
    return message.asSlice(begin, end - begin);
  }

  /** Reads what has arrived on all lanes; says whether anything had. */
  boolean serve() {
    boolean moved = false;
    for (TcpLane lane : lanes) {
      moved |= lane.serve();
    }
    return moved;
  }

  /** The program has taken this many bytes from a channel. */
  void taken(int channel, long bytes) {
    long acknowledged = window.received(channel, bytes);
    if (acknowledged > 0 && !gone()) {
      lanes.getFirst().acknowledge(channel, acknowledged);
    }
  }

  @Override
  public void check() {
    faults.check();
  }

  @Override
  public boolean gone() {
    for (TcpLane lane : lanes) {
      if (!lane.left()) {
        return false;
      }
    }
    return true;
  }

  /** Declares the rank lost, because somebody needs it although it has left; returns at once. */
  void declareLost() {
    faults.lose(rank, LEFT);
  }

  @Override
  public PeerLostException lost() {
    return faults.loseAndThrow(rank, LEFT);
  }

  /** Whether nothing was heard on a lane for so long, although the rank has not left. */
  boolean silentFor(Duration limit, long now) {
    return lanes.stream().anyMatch(lane -> lane.silentFor(limit, now));
  }

  /** Starts the clock of silence again. */
  void forgive() {
    lanes.forEach(TcpLane::forgive);
  }

  /** Starts the clock of silence at that time, or with what is heard before. */
  void forgiveUntil(long nanoTime) {
    lanes.forEach(lane -> lane.forgiveUntil(nanoTime));
  }

  void heartbeat() {
    lanes.forEach(TcpLane::heartbeat);
  }

  /** Begins to tell the rank that another was lost. */
  void announce(int lostRank, String reason) {
    // On every lane: whichever ends first, the name is read before the end.
    lanes.forEach(lane -> lane.announce(lostRank, reason));
  }

  /** Waits until that has left, unless the connection is jammed past the deadline. */
  void awaitPosted(Deadline deadline) {
    lanes.forEach(lane -> lane.awaitPosted(deadline));
  }

  void sayGoodbye() {
    lanes.forEach(TcpLane::sayGoodbye);
  }

  /** After the goodbye: waits until it has arrived, but not past the deadline, and disconnects. */
  void leave(Deadline deadline) {
    try {
      for (TcpLane lane : lanes) {
        lane.awaitEnd(deadline.remainingNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      disconnect();
    }
  }

  /** Lets all that wait for this rank look around. */
  void wake() {
    lanes.forEach(TcpLane::nudgeAll);
    window.nudgeAll();
  }

  /** Cuts all connections. */
  void disconnect() {
    lanes.forEach(TcpLane::disconnect);
  }
}
