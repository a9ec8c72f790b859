package dev.tandem.comm.rendezvous;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads exact amounts from a link, all before one deadline: a trickle does not prolong it. */
final class TimedInput {

  private final Link link;
  private final Deadline deadline;

  TimedInput(Link link, Deadline deadline) {
    this.link = link;
    this.deadline = deadline;
  }

  byte[] readBytes(int count) throws IOException {
    byte[] bytes = new byte[count];
    int filled = 0;
    while (filled < count) {
      int read = link.read(bytes, filled, count - filled, deadline);
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
