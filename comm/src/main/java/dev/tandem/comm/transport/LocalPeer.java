package dev.tandem.comm.transport;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Another rank of this host, reached through a ring in shared memory in either direction. The call
 * that waits for a message reads the ring itself, and what comes for others on the way is handed to
 * them. The connection to the rank tells whether it lives, and carries acknowledgements.
 * Thread-safe.
 */
final class LocalPeer {

  private final TcpPeer connection;
  private final RingWriter out;
  private final RingReader in;
  private final WakeSignal signal;
  private final WakeSignal keeperSignal;
  private final Inbox inbox;
  private final Runnable wake;
  private final AtomicInteger attendants = new AtomicInteger();
  private volatile boolean missed;
  // The delivery whose owner was woken last; guarded by the right to read.
  private Delivery nudged;

  /**
   * @param signal wakes the calls of that rank
   * @param keeperSignal wakes the thread of that rank that reads what no call waits for
   * @param wake lets the calls of this rank look around
   */
  LocalPeer(
      TcpPeer connection,
      RingWriter out,
      RingReader in,
      WakeSignal signal,
      WakeSignal keeperSignal,
      Runnable wake) {
    this.connection = connection;
    this.out = out;
    this.in = in;
    this.signal = signal;
    this.keeperSignal = keeperSignal;
    this.inbox = new Inbox(connection.rank());
    this.wake = wake;
  }

  /** What is known about that rank, and how much it lets us send. */
  TcpPeer connection() {
    return connection;
  }

  /** Posts a receive. */
  Receipt post(int channel, MemorySegment target) {
    return inbox.post(channel, target, wake);
  }

  /** Gives a receive up; when this returns, nobody writes into its memory any more. */
  void abandon(Receipt receipt) {
    inbox.abandon(receipt);
  }

  /**
   * Sends a fragment of a message, from a place on; returns its bytes, or says there is no room.
   */
  long send(int channel, MemorySegment message, long from) {
    long bytes = out.write(channel, message, from);
    if (bytes != RingWriter.NO_ROOM) {
      signal.signal();
    }
    return bytes;
  }

  /** Asks the rank to signal when there is room. */
  void askForRoom() {
    out.jam();
  }

  /** Asks the rank to make room, although its program may not wait for anything. */
  void callKeeper() {
    keeperSignal.signal();
  }

  /** A call reads from now on what comes from this rank. */
  void attend() {
    attendants.incrementAndGet();
  }

  void unattend() {
    attendants.decrementAndGet();
  }

  /**
   * Takes a fragment, if there is one and nobody else is at it; says whether it did. Who finds it
   * busy, or waiting for the thread that alone may touch its memory, is woken after the next one
   * that was taken.
   */
  boolean take() {
    if (!in.pending() || !tryBegin()) {
      return false;
    }
    boolean taken = false;
    try {
      taken = in.pending() && takePending();
    } finally {
      inbox.end();
    }
    if (taken && missed) {
      missed = false;
      wake.run();
    }
    return taken;
  }

  private boolean tryBegin() {
    if (inbox.tryBegin()) {
      return true;
    }
    missed = true;
    // A thread that has ended before we said so cannot have seen it.
    return inbox.tryBegin();
  }

  private boolean takePending() {
    int channel = in.channel();
    Delivery delivery = inbox.unfinished(channel);
    if (delivery == null) {
      delivery = begin(channel);
    }
    if (!delivery.reachable()) {
      missed = true;
      if (delivery != nudged) {
        nudged = delivery;
        wake.run();
      }
      return false;
    }
    nudged = null;
    MemorySegment payload = in.payload();
    delivery.take(payload);
    in.free(payload.byteSize());
    if (in.jammed()) {
      in.unjam();
      signal.signal();
    }
    inbox.arrived(delivery);
    return true;
  }

  private Delivery begin(int channel) {
    try {
      return inbox.begin(channel, in.messageBytes());
    } catch (IOException e) {
      throw new IllegalStateException("the ring of rank " + connection.rank() + " is broken", e);
    }
  }

  /**
   * Makes room for a sender that waits for it, unless a call does; says whether somebody must look
   * again soon.
   */
  boolean relieve() {
    if (!in.jammed() || !in.pending()) {
      return false;
    }
    if (attendants.get() > 0) {
      return true;
    }
    boolean relieved = false;
    while (take()) {
      relieved = true;
    }
    return !relieved && in.pending();
  }
}
