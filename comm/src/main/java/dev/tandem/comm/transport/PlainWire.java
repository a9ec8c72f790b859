package dev.tandem.comm.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A TCP connection as it is. */
record PlainWire(SocketChannel channel) implements Wire {

  @Override
  public int read(ByteBuffer target) throws IOException {
    return channel.read(target);
  }

  @Override
  public boolean holds() {
    return false;
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
