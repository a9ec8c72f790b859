package dev.tandem.comm.rendezvous;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

/** Reads exact amounts from a socket, all before one deadline: a trickle does not prolong it. */
final class TimedInput {

  private final Socket socket;
  private final InputStream stream;
  private final Deadline deadline;

  TimedInput(Socket socket, Deadline deadline) throws IOException {
    this.socket = socket;
    this.stream = socket.getInputStream();
    this.deadline = deadline;
  }

  byte[] readBytes(int count) throws IOException {
    byte[] bytes = new byte[count];
    int filled = 0;
    while (filled < count) {
      int millis = deadline.remainingMillis();
      if (millis == 0) {
        throw new SocketTimeoutException("no answer in time");
      }
      socket.setSoTimeout(millis);
      int read = stream.read(bytes, filled, count - filled);
      if (read < 0) {
        throw new EOFException("the other side closed the connection");
      }
      filled += read;
    }
    return bytes;
  }

  int readInt() throws IOException {
    return ByteBuffer.wrap(readBytes(Integer.BYTES)).getInt();
  }

  byte readByte() throws IOException {
    return readBytes(1)[0];
  }
}
