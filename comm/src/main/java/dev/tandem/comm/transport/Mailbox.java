package dev.tandem.comm.transport;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Messages from one peer, in order on each channel: those that have arrived and nobody took yet,
 * and the receives that wait for one. At any time one of the two is empty. Thread-safe, with one
 * thread delivering.
 */
final class Mailbox {

  private static final class Lane {
    final Deque<MemorySegment> arrived = new ArrayDeque<>();
    final Deque<Receipt> waiting = new ArrayDeque<>();
  }

  private final Map<Integer, Lane> lanes = new HashMap<>();
  private final int peer;

  Mailbox(int peer) {
    this.peer = peer;
  }

  /** Posts a receive by the calling thread, which then awaits the receipt. */
  Receipt post(int channel, MemorySegment target) {
    Thread waiter = Thread.currentThread();
    return post(channel, target, () -> LockSupport.unpark(waiter));
  }

  /** Posts a receive; {@code wake} lets the thread that waits for it look around. */
  synchronized Receipt post(int channel, MemorySegment target, Runnable wake) {
    Receipt receipt = new Receipt(target, wake);
    Lane lane = lane(channel);
    MemorySegment message = lane.arrived.poll();
    if (message == null) {
      lane.waiting.add(receipt);
    } else if (receipt.claim()) {
      hand(message, receipt);
    }
    return receipt;
  }

  /** Takes the receive that waits for the message that begins to arrive, if it can be written. */
  synchronized Optional<Receipt> claim(int channel, long length) {
    Deque<Receipt> waiting = lane(channel).waiting;
    Receipt receipt = waiting.peek();
    if (receipt == null || receipt.target().byteSize() != length || !receipt.reachable()) {
      return Optional.empty();
    }
    waiting.remove();
    return receipt.claim() ? Optional.of(receipt) : Optional.empty();
  }

  /** Delivers a message that could not be written to its target; the mailbox keeps the memory. */
  synchronized void deliver(int channel, MemorySegment message) {
    Lane lane = lane(channel);
    Receipt receipt = lane.waiting.poll();
    while (receipt != null && !receipt.claim()) {
      receipt = lane.waiting.poll();
    }
    if (receipt != null) {
      hand(message, receipt);
    } else {
      lane.arrived.add(message);
    }
  }

  private void hand(MemorySegment message, Receipt receipt) {
    if (message.byteSize() == receipt.target().byteSize()) {
      receipt.completeFrom(message);
    } else {
      receipt.fail(
          new IllegalStateException(
              "rank %d sent %d bytes where %d were expected: the ranks call different operations"
                  .formatted(peer, message.byteSize(), receipt.target().byteSize())));
    }
  }

  /** Lets all that wait look around. */
  synchronized void nudgeAll() {
    lanes.values().forEach(lane -> lane.waiting.forEach(Receipt::nudge));
  }

  private Lane lane(int channel) {
    return lanes.computeIfAbsent(channel, number -> new Lane());
  }
}
