package dev.tandem.comm.transport;

import dev.tandem.comm.rendezvous.Link;
import dev.tandem.comm.rendezvous.TlsLink;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A connection that moves what it can move now and never waits. One thread at a time may read it
 * and one may write it.
 */
interface Wire extends Closeable {

  /** Takes over a connection whose two sides know each other; nobody else may use it any more. */
  static Wire over(Link link) throws IOException {
    SocketChannel channel = link.socket().getChannel();
    channel.configureBlocking(false);
    return link instanceof TlsLink tls
        ? new TlsWire(channel, tls.over(channel))
        : new PlainWire(channel);
  }

  /** What to wait for; not to be read or written past the wire. */
  SocketChannel channel();

  /** Reads what has arrived; 0 if nothing has, -1 if the other side has ended its output. */
  int read(ByteBuffer target) throws IOException;

  /**
   * Whether there is something to read that the channel does not know of any more; see {@code Note
   * [what a selector cannot see]}. Only who reads may ask.
   */
  boolean holds() throws IOException;

  /** Takes as much as fits, first things first. */
  long write(ByteBuffer[] sources) throws IOException;

  /** Passes on what was taken but not sent yet; says whether nothing is left. */
  boolean flush() throws IOException;

  /** Tells the other side that nothing follows; all that was written arrives before. */
  void endOutput() throws IOException;

  @Override
  void close() throws IOException;
}
