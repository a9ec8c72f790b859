package dev.tandem.comm.transport;

import dev.tandem.comm.transport.TcpPeer.Incoming;
import dev.tandem.core.PeerLostException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SelectionKey;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * One call of the program: writes a message to one rank and reads one from another (or from the
 * same) at the same time, until both are done. For one thread.
 */
final class TcpCall {

  /** How long the reason of a failed write may take to arrive. */
  private static final long VERDICT_NANOS = 1_000_000_000;

  private final Faults faults;
  private final Waiter waiter;
  private final int channel;
  private final TcpPeer to;
  private final TcpPeer from;
  private final List<Outgoing> outgoing;
  private final List<Incoming> incoming;
  private final long bytes;
  private boolean permitted;

  private TcpCall(
      Faults faults,
      Waiter waiter,
      int channel,
      TcpPeer to,
      List<Outgoing> outgoing,
      long bytes,
      TcpPeer from,
      List<Incoming> incoming) {
    this.faults = faults;
    this.waiter = waiter;
    this.channel = channel;
    this.to = to;
    this.outgoing = outgoing;
    this.bytes = bytes;
    this.permitted = outgoing.isEmpty();
    this.from = from;
    this.incoming = incoming;
  }

  static void send(Faults faults, Waiter waiter, int channel, TcpPeer to, MemorySegment data) {
    new TcpCall(
            faults,
            waiter,
            channel,
            to,
            to.prepare(channel, data, waiter),
            data.byteSize(),
            to,
            List.of())
        .run();
  }

  static void receive(
      Faults faults, Waiter waiter, int channel, TcpPeer from, MemorySegment target) {
    new TcpCall(
            faults, waiter, channel, from, List.of(), 0, from, from.post(channel, target, waiter))
        .run();
    from.taken(channel, target.byteSize());
  }

  static void exchange(
      Faults faults,
      Waiter waiter,
      int channel,
      TcpPeer to,
      MemorySegment data,
      TcpPeer from,
      MemorySegment target) {
    // Posted before anything is sent, so that the answer finds its place.
    List<Incoming> incoming = from.post(channel, target, waiter);
    new TcpCall(
            faults,
            waiter,
            channel,
            to,
            to.prepare(channel, data, waiter),
            data.byteSize(),
            from,
            incoming)
        .run();
    from.taken(channel, target.byteSize());
  }

  private void run() {
    attend();
    boolean done = false;
    try {
      checkHope();
      while (advance()) {
        // On and on.
      }
      for (Incoming message : incoming) {
        message.receipt().settle();
      }
      done = true;
    } catch (PeerLostException e) {
      // Whatever this connection says, the first loss is the one to name.
      throw faults.loseAndThrow(e.lostRank(), TcpLane.BROKEN);
    } catch (IOException e) {
      throw explain(e);
    } finally {
      unattend();
      if (!done) {
        outgoing.forEach(Outgoing::giveUp);
        incoming.forEach(message -> message.lane().abandon(message.receipt()));
      }
    }
  }

  private void attend() {
    incoming.forEach(message -> message.lane().attend());
    outgoing.forEach(message -> message.lane().attend());
  }

  private void unattend() {
    incoming.forEach(message -> message.lane().unattend());
    outgoing.forEach(message -> message.lane().unattend());
  }

  /** Moves what can be moved, else waits; says whether there is more to do. */
  private boolean advance() throws IOException {
    boolean moved = write();
    moved |= read();
    if (sent() && received()) {
      return false;
    }
    if (moved) {
      waiter.moved();
      return true;
    }
    checkHope();
    if (!sent() && to.serve()) {
      // It may have been the permission to send on.
      return true;
    }
    if (waiter.tired()) {
      watch();
      waiter.sleep();
    }
    return true;
  }

  private boolean write() throws IOException {
    boolean moved = false;
    permitted = permitted || to.window().tryAcquire(channel, bytes, waiter);
    if (permitted) {
      for (Outgoing message : outgoing) {
        if (!message.done()) {
          moved |= message.advance();
        }
      }
    }
    return moved;
  }

  private boolean read() {
    boolean moved = false;
    for (Incoming message : incoming) {
      if (!message.receipt().done()) {
        moved |= message.lane().serve();
      }
    }
    return moved;
  }

  private boolean sent() {
    for (Outgoing message : outgoing) {
      if (!message.done()) {
        return false;
      }
    }
    return true;
  }

  private boolean received() {
    for (Incoming message : incoming) {
      if (!message.receipt().done()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Throws if a rank was lost. If one has left that we need, the others hear of it first, and we go
   * on meanwhile: a message cut off in the middle would keep them from reading it.
   */
  private void checkHope() {
    faults.check();
    if (!sent() && to.gone()) {
      to.declareLost();
    }
    boolean gone = from.gone();
    if (gone && !received()) {
      from.declareLost();
    }
  }

  private void watch() {
    for (Outgoing message : outgoing) {
      if (message.writing()) {
        waiter.watch(message.lane(), SelectionKey.OP_WRITE);
      }
    }
    if (!sent()) {
      watchReading(to.lanes());
    }
    for (Incoming message : incoming) {
      if (!message.receipt().done()) {
        watchReading(List.of(message.lane()));
      }
    }
  }

  private void watchReading(List<TcpLane> lanes) {
    for (TcpLane lane : lanes) {
      if (!lane.over()) {
        waiter.watch(lane, SelectionKey.OP_READ);
      }
    }
  }

  /** A failed write says only that the connection is gone; what it said before tells why. */
  private RuntimeException explain(IOException e) {
    long end = System.nanoTime() + VERDICT_NANOS;
    while (!faults.known() && !to.gone() && System.nanoTime() - end < 0) {
      if (!to.serve()) {
        LockSupport.parkNanos(1_000_000);
      }
    }
    throw to.gone()
        ? to.lost()
        : faults.loseAndThrow(to.rank(), "writing to it failed: " + e.getMessage());
  }
}
