package dev.tandem.comm.transport;

import dev.tandem.core.PeerLostException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What comes from one peer over one way: each channel's message arrives piece by piece, straight in
 * the memory of the receive that waits for it or in a buffer of its own. Who moves pieces holds the
 * right to read, which one thread has at a time and never keeps while it waits.
 */
final class Inbox {

  private final int peer;
  private final Mailbox mailbox;
  private final ReentrantLock reading = new ReentrantLock();
  // By channel; guarded by the right to read.
  private final Map<Integer, Delivery> unfinished = new HashMap<>();

  Inbox(int peer) {
    this.peer = peer;
    this.mailbox = new Mailbox(peer);
  }

  /** Posts a receive; {@code wake} lets the thread that waits for it look around. */
  Receipt post(int channel, MemorySegment target, Runnable wake) {
    return mailbox.post(channel, target, wake);
  }

  /** Takes the right to read, unless somebody else has it. */
  boolean tryBegin() {
    return reading.tryLock();
  }

  /** Gives the right to read back. */
  void end() {
    reading.unlock();
  }

  /** The message that has begun on a channel and is not complete, or null. */
  Delivery unfinished(int channel) {
    return unfinished.get(channel);
  }

  /** A message begins on a channel. */
  Delivery begin(int channel, long length) throws IOException {
    if (length < 0 || length > TcpPeer.MAXIMUM_FRAME) {
      throw new IOException("a message cannot have " + length + " bytes");
    }
    Optional<Receipt> receipt = mailbox.claim(channel, length);
    MemorySegment target =
        receipt.isPresent()
            ? receipt.get().target()
            : MemorySegment.ofArray(new byte[(int) length]);
    Delivery delivery = new Delivery(channel, target, receipt);
    unfinished.put(channel, delivery);
    return delivery;
  }

  /** A piece has arrived; if it was the last, the message is handed to the receiver. */
  void arrived(Delivery delivery) {
    if (!delivery.complete()) {
      return;
    }
    unfinished.remove(delivery.number());
    if (delivery.receipt().isPresent()) {
      delivery.receipt().get().complete();
    } else if (!delivery.unwanted()) {
      mailbox.deliver(delivery.number(), delivery.target());
    }
  }

  /** Nothing more will come: what has begun will never be complete. */
  void breakOff(String reason) {
    for (Delivery delivery : unfinished.values()) {
      delivery.receipt().ifPresent(receipt -> receipt.fail(new PeerLostException(peer, reason)));
    }
    unfinished.clear();
  }

  /** Gives a receive up; when this returns, nobody writes into its memory any more. */
  void abandon(Receipt receipt) {
    if (receipt.done() || receipt.tryAbandon()) {
      return;
    }
    // Claimed: reading never waits, so the lock is soon free.
    reading.lock();
    try {
      for (Delivery delivery : unfinished.values()) {
        if (delivery.receipt().isPresent() && delivery.receipt().get() == receipt) {
          delivery.forget();
        }
      }
    } finally {
      reading.unlock();
    }
  }

  /** Lets all that wait look around. */
  void nudgeAll() {
    mailbox.nudgeAll();
  }
}
