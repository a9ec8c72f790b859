package dev.tandem.comm.transport;

/**
 * Messages and payload bytes that a rank has sent and received; headers, heartbeats and
 * acknowledgements do not count.
 *
 * @param steps how often the rank has waited for others: a turn of shared slots; an exchange of
 *     messages, however early it began; a send or receive that was not part of one
 */
public record Traffic(
    long messagesSent, long bytesSent, long messagesReceived, long bytesReceived, long steps) {

  /** What was moved since an earlier reading. */
  public Traffic since(Traffic earlier) {
    return new Traffic(
        messagesSent - earlier.messagesSent,
        bytesSent - earlier.bytesSent,
        messagesReceived - earlier.messagesReceived,
        bytesReceived - earlier.bytesReceived,
        steps - earlier.steps);
  }

  /** The same with more steps. */
  public Traffic withSteps(long more) {
    return new Traffic(messagesSent, bytesSent, messagesReceived, bytesReceived, steps + more);
  }
}
