package dev.tandem.comm.rendezvous;

import java.io.IOException;
import java.net.Socket;

/** A TCP connection as it is. */
public record PlainLink(Socket socket) implements Link {

  @Override
  public int read(byte[] target, int offset, int count, Deadline deadline) throws IOException {
    return deadline.read(socket, target, offset, count);
  }

  @Override
  public void write(byte[] message) throws IOException {
    socket.getOutputStream().write(message);
  }
}
