package dev.tandem.comm.transport;

import java.util.concurrent.atomic.LongAdder;

/** Counts what a rank moves, from any thread. */
final class TrafficMeter {

  private final LongAdder messagesSent = new LongAdder();
  private final LongAdder bytesSent = new LongAdder();
  private final LongAdder messagesReceived = new LongAdder();
  private final LongAdder bytesReceived = new LongAdder();

  void sent(long bytes) {
    messagesSent.increment();
    bytesSent.add(bytes);
  }

  void received(long bytes) {
    messagesReceived.increment();
    bytesReceived.add(bytes);
  }

  Traffic reading() {
    return new Traffic(
        messagesSent.sum(), bytesSent.sum(), messagesReceived.sum(), bytesReceived.sum());
  }
}
