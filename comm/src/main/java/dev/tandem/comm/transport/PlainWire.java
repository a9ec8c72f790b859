package dev.tandem.comm.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A TCP connection as it is. */
record PlainWire(SocketChannel channel) implements Wire {

  /** Takes over a connection; it must not be used by others any more. */
  static PlainWire over(SocketChannel channel) throws IOException {
    channel.configureBlocking(false);
    return new PlainWire(channel);
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return channel.read(target);
  }

  @Override
  public long write(ByteBuffer[] sources) throws IOException {
    return sources.length == 1 ? channel.write(sources[0]) : channel.write(sources);
  }

  @Override
  public boolean flush() {
    return true;
  }

  @Override
  public void endOutput() throws IOException {
    channel.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
