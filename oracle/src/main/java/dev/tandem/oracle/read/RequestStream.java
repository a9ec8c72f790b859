package dev.tandem.oracle.read;

/**
 * One reader's requests through a range of the file, each sent when the one before it has come and
 * was worked on.
 */
final class RequestStream {

  private final long end;
  private final long requestBytes;
  private final long stepBytes;
  private final double secondsPerByte;
  private final int after;
  private long at;

  /**
   * @param requestBytes of each request, less where a block of the storage ends
   * @param stepBytes from one request to the next: as many, or more if bytes are left out
   * @param secondsPerByte that the reader works on what has come
   * @param after the stream that has to end first; -1 if this one may begin at once
   */
  RequestStream(
      long from, long end, long requestBytes, long stepBytes, double secondsPerByte, int after) {
    this.at = from;
    this.end = end;
    this.requestBytes = requestBytes;
    this.stepBytes = stepBytes;
    this.secondsPerByte = secondsPerByte;
    this.after = after;
  }

  int after() {
    return after;
  }

  boolean done() {
    return at >= end;
  }

  long offset() {
    return at;
  }

  /** Bytes of the next request. */
  long length(long blockBytes) {
    return Math.min(Math.min(requestBytes, end - at), blockBytes - at % blockBytes);
  }

  /** The next request was answered; gives the seconds that the reader works on it. */
  double advance(long bytes) {
    // A request that the end of a block cut short leaves the next one where blocks begin.
    at += stepBytes - (requestBytes - bytes);
    return bytes * secondsPerByte;
  }
}
