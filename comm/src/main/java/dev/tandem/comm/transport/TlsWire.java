package dev.tandem.comm.transport;

import dev.tandem.comm.rendezvous.TlsSession;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A TCP connection on which only records of TLS travel. */
record TlsWire(SocketChannel channel, TlsSession session) implements Wire {

  @Override
  public int read(ByteBuffer target) throws IOException {
    return session.read(target);
  }

  @Override
  public boolean holds() throws IOException {
    return session.holds();
  }

  @Override
  public long write(ByteBuffer[] sources) throws IOException {
    return session.write(sources);
  }

  @Override
  public boolean flush() throws IOException {
    return session.flush();
  }

  @Override
  public void endOutput() throws IOException {
    try {
      session.endOutput();
    } finally {
      channel.shutdownOutput();
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
