package dev.tandem.comm.transport;

import dev.tandem.comm.transport.TcpPeer.Incoming;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The calls that the program makes on a TCP transport, from any thread. */
final class TcpCalls {

  private final Faults faults;
  private final Waiters waiters;
  private final List<TcpLane> lanes;

  /**
   * @param lanes those to all ranks
   */
  TcpCalls(Faults faults, Waiters waiters, List<TcpLane> lanes) {
    this.faults = faults;
    this.waiters = waiters;
    this.lanes = List.copyOf(lanes);
  }

  Faults faults() {
    return faults;
  }

  void send(int channel, TcpPeer to, MemorySegment data) {
    Waiter waiter = waiters.take();
    try {
      List<Outgoing> outgoing = to.prepare(channel, data, waiter);
      new TcpCall(this, waiter, channel, to, outgoing, data.byteSize(), to, List.of()).run();
    } finally {
      waiters.giveBack(waiter);
    }
  }

  void receive(int channel, TcpPeer from, MemorySegment target) {
    faults.check();
    Waiter waiter = waiters.take();
    try {
      List<Incoming> incoming = from.post(channel, target, waiter::wake);
      new TcpCall(this, waiter, channel, from, List.of(), 0, from, incoming).run();
    } finally {
      waiters.giveBack(waiter);
    }
    from.taken(channel, target.byteSize());
  }

  void exchange(int channel, TcpPeer to, MemorySegment data, TcpPeer from, MemorySegment target) {
    faults.check();
    Waiter waiter = waiters.take();
    try {
      // Posted before anything is sent, so that the answer finds its place.
      List<Incoming> incoming = from.post(channel, target, waiter::wake);
      List<Outgoing> outgoing = to.prepare(channel, data, waiter);
      new TcpCall(this, waiter, channel, to, outgoing, data.byteSize(), from, incoming).run();
    } finally {
      waiters.giveBack(waiter);
    }
    from.taken(channel, target.byteSize());
  }

  /** Begins a receive; whoever sends meanwhile and cannot go on reads for it. */
  Arrival expect(int channel, TcpPeer from, MemorySegment target, TrafficMeter meter) {
    faults.check();
    return new Expected(channel, from, target, meter);
  }

  private final class Expected implements Arrival {

    private final int channel;
    private final TcpPeer from;
    private final long bytes;
    private final TrafficMeter meter;
    private final List<Incoming> incoming;
    private volatile Waiter waiter;

    Expected(int channel, TcpPeer from, MemorySegment target, TrafficMeter meter) {
      this.channel = channel;
      this.from = from;
      this.bytes = target.byteSize();
      this.meter = meter;
      this.incoming = from.post(channel, target, this::wake);
      incoming.forEach(message -> message.lane().expect());
    }

    private void wake() {
      Waiter current = waiter;
      if (current != null) {
        current.wake();
      }
    }

    @Override
    public void await() {
      waiter = waiters.take();
      try {
        incoming.forEach(message -> message.lane().expectNoLonger());
        new TcpCall(TcpCalls.this, waiter, channel, from, List.of(), 0, from, incoming).run();
      } finally {
        waiters.giveBack(waiter);
      }
      from.taken(channel, bytes);
      meter.received(bytes);
    }

    @Override
    public void abandon() {
      for (Incoming message : incoming) {
        message.lane().expectNoLonger();
        message.lane().abandon(message.receipt());
      }
    }
  }

  /** The lanes on which messages are expected that no call waits for. */
  List<TcpLane> expected() {
    List<TcpLane> expected = new ArrayList<>();
    for (TcpLane lane : lanes) {
      if (lane.expects()) {
        expected.add(lane);
      }
    }
    return expected;
  }

  /** Reads what has arrived on them; says whether anything had. */
  boolean serveExpected() {
    boolean moved = false;
    for (TcpLane lane : lanes) {
      if (lane.expects()) {
        moved |= lane.serve();
      }
    }
    return moved;
  }
}
