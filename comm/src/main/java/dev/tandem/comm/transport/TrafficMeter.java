package dev.tandem.comm.transport;

import java.util.concurrent.atomic.LongAdder;

/** Counts what a rank moves, from any thread. */
final class TrafficMeter {

  private final LongAdder messagesSent = new LongAdder();
  private final LongAdder bytesSent = new LongAdder();
  private final LongAdder messagesReceived = new LongAdder();
  private final LongAdder bytesReceived = new LongAdder();
  private final LongAdder turns = new LongAdder();

  /** A message was sent. */
  void sent(long bytes) {
    messagesSent.increment();
    bytesSent.add(bytes);
  }

  /** A message was received. */
  void received(long bytes) {
    messagesReceived.increment();
    bytesReceived.add(bytes);
  }

  /** Bytes were written for others to read. */
  void addSent(long bytes) {
    bytesSent.add(bytes);
  }

  /** Bytes of others were read. */
  void addReceived(long bytes) {
    bytesReceived.add(bytes);
  }

  /** Shared slots were turned: one message to all, one from all. */
  void step() {
    turns.increment();
    messagesSent.increment();
    messagesReceived.increment();
  }

  /** Its steps are the turns of shared slots: only callers know which messages make one step. */
  Traffic reading() {
    return new Traffic(
        messagesSent.sum(),
        bytesSent.sum(),
        messagesReceived.sum(),
        bytesReceived.sum(),
        turns.sum());
  }
}
