package dev.tandem.comm.transport;

/**
 * Messages and payload bytes that a rank has sent and received; headers, heartbeats and
 * acknowledgements do not count.
 */
public record Traffic(
    long messagesSent, long bytesSent, long messagesReceived, long bytesReceived) {

  /** What was moved since an earlier reading. */
  public Traffic since(Traffic earlier) {
    return new Traffic(
        messagesSent - earlier.messagesSent,
        bytesSent - earlier.bytesSent,
        messagesReceived - earlier.messagesReceived,
        bytesReceived - earlier.bytesReceived);
  }
}
