package dev.tandem.comm.transport;

import dev.tandem.comm.transport.TcpPeer.Incoming;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The calls that the program makes on a TCP transport, from any thread. */
final class TcpCalls {

  private final Faults faults;
  private final SelectorWait.Pool waits;
  private final List<TcpLane> lanes;

  /**
   * @param lanes those to all ranks
   */
  TcpCalls(Faults faults, SelectorWait.Pool waits, List<TcpLane> lanes) {
    this.faults = faults;
    this.waits = waits;
    this.lanes = List.copyOf(lanes);
  }

  Faults faults() {
    return faults;
  }

  void send(int channel, TcpPeer to, MemorySegment data) {
    SelectorWait wait = waits.take();
    try {
      List<Outgoing> outgoing = to.prepare(channel, data, wait);
      new TcpCall(this, wait, channel, to, outgoing, data.byteSize(), to, List.of()).run();
    } finally {
      waits.giveBack(wait);
    }
  }

  void receive(int channel, TcpPeer from, MemorySegment target) {
    faults.check();
    SelectorWait wait = waits.take();
    try {
      List<Incoming> incoming = from.post(channel, target, wait::wake);
      new TcpCall(this, wait, channel, from, List.of(), 0, from, incoming).run();
    } finally {
      waits.giveBack(wait);
    }
    from.taken(channel, target.byteSize());
  }

  void exchange(int channel, TcpPeer to, MemorySegment data, TcpPeer from, MemorySegment target) {
    faults.check();
    SelectorWait wait = waits.take();
    try {
      // Posted before anything is sent, so that the answer finds its place.
      List<Incoming> incoming = from.post(channel, target, wait::wake);
      List<Outgoing> outgoing = to.prepare(channel, data, wait);
      new TcpCall(this, wait, channel, to, outgoing, data.byteSize(), from, incoming).run();
    } finally {
      waits.giveBack(wait);
    }
    from.taken(channel, target.byteSize());
  }

  /** Begins a receive; a call that sends meanwhile and cannot go on reads for it. */
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
    private volatile SelectorWait wait;

    Expected(int channel, TcpPeer from, MemorySegment target, TrafficMeter meter) {
      this.channel = channel;
      this.from = from;
      this.bytes = target.byteSize();
      this.meter = meter;
      this.incoming = from.post(channel, target, this::wake);
      incoming.forEach(message -> message.lane().expect());
    }

    private void wake() {
      SelectorWait current = wait;
      if (current != null) {
        current.wake();
      }
    }

    @Override
    public void await() {
      wait = waits.take();
      try {
        incoming.forEach(message -> message.lane().expectNoLonger());
        new TcpCall(TcpCalls.this, wait, channel, from, List.of(), 0, from, incoming).run();
      } finally {
        waits.giveBack(wait);
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
