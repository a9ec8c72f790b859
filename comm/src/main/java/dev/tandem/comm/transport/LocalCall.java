package dev.tandem.comm.transport;

import java.lang.foreign.MemorySegment;

/**
 * One call of the program: sends a message to one rank of this host and receives one from another
 * (or from the same) at the same time, until both are done. For one thread.
 */
final class LocalCall {

  private final LocalMessages messages;
  private final int channel;
  // Null if nothing is sent.
  private final LocalPeer to;
  private final MemorySegment message;
  // Null if nothing is received.
  private final LocalPeer from;
  private final Receipt receipt;
  private boolean permitted;
  private boolean sent;
  private long written;
  private final SpinWait spinWait;

  private LocalCall(
      LocalMessages messages,
      int channel,
      LocalPeer to,
      MemorySegment message,
      LocalPeer from,
      Receipt receipt) {
    this.messages = messages;
    this.channel = channel;
    this.to = to;
    this.message = message;
    this.from = from;
    this.receipt = receipt;
    this.sent = to == null;
    this.spinWait = messages.spinWait();
  }

  static LocalCall send(LocalMessages messages, int channel, LocalPeer to, MemorySegment message) {
    return new LocalCall(messages, channel, to, message, null, null);
  }

  static LocalCall receive(LocalMessages messages, int channel, LocalPeer from, Receipt receipt) {
    return new LocalCall(messages, channel, null, null, from, receipt);
  }

  static LocalCall exchange(
      LocalMessages messages,
      int channel,
      LocalPeer to,
      MemorySegment message,
      LocalPeer from,
      Receipt receipt) {
    return new LocalCall(messages, channel, to, message, from, receipt);
  }

  /** Does it; returns when all is sent and received, and throws if a rank is lost. */
  void run() {
    if (from != null) {
      from.attend();
    }
    boolean done = false;
    try {
      checkReceiver();
      spinWait.begin();
      while (!done) {
        boolean moved = advance();
        done = done();
        if (moved) {
          spinWait.begin();
        } else if (!done && !spinWait.idle()) {
          sleep();
        }
      }
      if (receipt != null) {
        receipt.settle();
        from.connection().taken(channel, receipt.target().byteSize());
      }
    } finally {
      if (from != null) {
        from.unattend();
        if (!done) {
          from.abandon(receipt);
        }
      }
    }
  }

  private boolean done() {
    return sent && received();
  }

  private boolean received() {
    return receipt == null || receipt.done();
  }

  /** Moves what can be moved; says whether anything did. */
  private boolean advance() {
    boolean moved = !sent && write();
    if (!received()) {
      moved |= from.take();
    }
    // Others may be unable to go on before we read what they send.
    return moved || (!sent && messages.takeAny());
  }

  private boolean write() {
    permitted =
        permitted || to.connection().window().tryAcquire(channel, message.byteSize(), messages);
    if (!permitted) {
      return false;
    }
    long bytes = to.send(channel, message, written);
    if (bytes == RingWriter.NO_ROOM) {
      return false;
    }
    written += bytes;
    sent = written == message.byteSize();
    return true;
  }

  /** See {@code Note [no lost signal]} in {@link WakeSignal}. */
  private void sleep() {
    WakeSignal signal = messages.signal();
    signal.enter();
    try {
      int counted = signal.count();
      if (!sent) {
        to.askForRoom();
      }
      checkHope();
      if (!advance() && !done()) {
        if (!sent) {
          to.callKeeper();
        }
        signal.sleep(counted);
      }
    } finally {
      signal.leave();
    }
    spinWait.begin();
  }

  /** Throws if a rank was lost, or one that we need has left. */
  private void checkHope() {
    checkReceiver();
    if (!received() && from.connection().gone()) {
      // What it sent before it left is there by now.
      while (!received() && from.take()) {
        // On and on.
      }
      if (!received()) {
        throw from.connection().lost();
      }
    }
  }

  private void checkReceiver() {
    messages.check();
    if (!sent && to.connection().gone()) {
      throw to.connection().lost();
    }
  }
}
