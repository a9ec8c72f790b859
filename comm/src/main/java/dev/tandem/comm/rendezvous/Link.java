package dev.tandem.comm.rendezvous;

import java.io.Closeable;
import java.io.IOException;
import java.net.Socket;
import java.util.Optional;

/**
 * A connection of a job while it is set up: plain, or TLS if the job has a keystore. Reads and
 * writes wait. One thread at a time may read, and others may write and close meanwhile.
 */
public sealed interface Link extends Closeable permits PlainLink, TlsLink {

  /** A connection as it is, which belongs to the link. */
  static Link plain(Socket socket) {
    return new PlainLink(socket);
  }

  /**
   * Makes a link of a connection that this process has accepted; it belongs to the link.
   *
   * @throws Handshake.RefusedException if the other side has no certificate that we trust
   */
  static Link accepted(Socket socket, Optional<TlsKeys> tls, Deadline deadline) throws IOException {
    return tls.isPresent() ? TlsLink.accepted(socket, tls.get(), deadline) : plain(socket);
  }

  /**
   * Makes a link of a connection that this process has opened; it belongs to the link.
   *
   * @throws Handshake.RefusedException if the other side has no certificate that we trust
   */
  static Link called(Socket socket, Optional<TlsKeys> tls, Deadline deadline) throws IOException {
    return tls.isPresent() ? TlsLink.called(socket, tls.get(), deadline) : plain(socket);
  }

  /** What lies below; not to be read or written past the link. */
  Socket socket();

  /**
   * Reads one byte or more; -1 if the other side has ended its output.
   *
   * @throws java.net.SocketTimeoutException if none has come by the deadline
   */
  int read(byte[] target, int offset, int count, Deadline deadline) throws IOException;

  /** Writes all. */
  void write(byte[] message) throws IOException;

  @Override
  default void close() throws IOException {
    socket().close();
  }
}
