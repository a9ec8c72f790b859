package dev.tandem.comm.transport;

import dev.tandem.comm.transport.TcpPeer.Incoming;
import dev.tandem.core.PeerLostException;
import java.io.IOException;
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

  private final TcpCalls calls;
  private final Faults faults;
  private final SelectorWait wait;
  private final int channel;
  private final TcpPeer to;
  private final TcpPeer from;
  private final List<Outgoing> outgoing;
  private final List<Incoming> incoming;
  private final long bytes;
  private boolean permitted;

  /**
   * @param bytes how much is to be sent
   * @param outgoing nothing if nothing is sent; then {@code to} does not matter
   * @param incoming nothing if nothing is received; then {@code from} does not matter
   */
  TcpCall(
      TcpCalls calls,
      SelectorWait wait,
      int channel,
      TcpPeer to,
      List<Outgoing> outgoing,
      long bytes,
      TcpPeer from,
      List<Incoming> incoming) {
    this.calls = calls;
    this.faults = calls.faults();
    this.wait = wait;
    this.channel = channel;
    this.to = to;
    this.outgoing = outgoing;
    this.bytes = bytes;
    this.permitted = outgoing.isEmpty();
    this.from = from;
    this.incoming = incoming;
  }

  /** Does it; returns when all is sent and received, and throws if a rank is lost. */
  void run() {
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
    outgoing.stream()
        .filter(message -> !message.done())
        .forEach(message -> message.lane().unattend());
  }

  /** Moves what can be moved, else waits; says whether there is more to do. */
  private boolean advance() throws IOException {
    boolean moved = write();
    moved |= read();
    if (sent() && received()) {
      return false;
    }
    if (moved) {
      wait.moved();
      return true;
    }
    checkHope();
    // The permission to send on may be there, and others may wait for us to read what we expect.
    if (!sent() && (to.serve() || calls.serveExpected())) {
      return true;
    }
    if (!wait.idle()) {
      watch();
      wait.sleep();
    }
    return true;
  }

  private boolean write() throws IOException {
    boolean moved = false;
    permitted = permitted || to.window().tryAcquire(channel, bytes, wait);
    if (permitted) {
      for (Outgoing message : outgoing) {
        if (!message.done()) {
          moved |= message.advance();
          if (message.done()) {
            // From now on we do not look at that lane any more, and somebody must.
            message.lane().unattend();
          }
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
        wait.watch(message.lane(), SelectionKey.OP_WRITE);
      }
    }
    if (!sent()) {
      watchReading(to.lanes());
      watchReading(calls.expected());
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
        wait.watch(lane, SelectionKey.OP_READ);
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
