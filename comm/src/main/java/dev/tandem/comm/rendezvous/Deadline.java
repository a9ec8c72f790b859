package dev.tandem.comm.rendezvous;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** A moment after which waiting is given up. */
public record Deadline(long nanoTime) {

  /** The moment that lies so far ahead. */
  public static Deadline in(Duration duration) {
    return new Deadline(System.nanoTime() + duration.toNanos());
  }

  /** A moment that nobody lives to see. */
  static Deadline never() {
    return new Deadline(System.nanoTime() + Long.MAX_VALUE / 2);
  }

  /** Nanoseconds that are left, or 0. */
  public long remainingNanos() {
    return Math.max(0, nanoTime - System.nanoTime());
  }

  /** Milliseconds that are left, rounded up, or 0. */
  public int remainingMillis() {
    return (int) Math.min(Integer.MAX_VALUE, (remainingNanos() + 999_999) / 1_000_000);
  }

  public boolean passed() {
    return remainingNanos() == 0;
  }

  /**
   * Reads one byte or more from a socket; -1 at its end.
   *
   * @throws SocketTimeoutException if none has come by then
   */
  int read(Socket socket, byte[] target, int offset, int count) throws IOException {
    int millis = remainingMillis();
    if (millis == 0) {
      throw new SocketTimeoutException("no answer in time");
    }
    // To a socket, 0 means for ever.
    socket.setSoTimeout(millis == Integer.MAX_VALUE ? 0 : millis);
    return socket.getInputStream().read(target, offset, count);
  }
}
