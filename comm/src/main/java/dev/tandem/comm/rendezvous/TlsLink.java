package dev.tandem.comm.rendezvous;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.security.cert.CertificateException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * A connection with TLS whose other side has shown a certificate that we trust, and we one that it
 * may refuse with the first read. Waits until it is made a session of a non-blocking channel.
 */
public final class TlsLink implements Link {

  /** What to do if one side speaks TLS and the other does not. */
  static final String ALL_OR_NONE =
      "set " + TlsKeys.KEYSTORE + " for all processes of the job or for none";

  private static final Pattern DISTRUST =
      Pattern.compile(".*fatal alert: .*(certificate|unknown_ca|access_denied).*");

  /** A fatal alert of TLS, as it is before keys are agreed: the handshake has failed. */
  private static final byte[] ALERT = {0x15, 3, 3, 0, 2, 2, 40};

  private final Network network;
  private final TlsSession session;

  private TlsLink(Network network, TlsSession session) {
    this.network = network;
    this.session = session;
  }

  static TlsLink accepted(Socket socket, TlsKeys keys, Deadline deadline) throws IOException {
    return agree(socket, keys, false, deadline);
  }

  static TlsLink called(Socket socket, TlsKeys keys, Deadline deadline) throws IOException {
    return agree(socket, keys, true, deadline);
  }

  private static TlsLink agree(Socket socket, TlsKeys keys, boolean calling, Deadline deadline)
      throws IOException {
    Network network = new Network(socket);
    network.deadline = deadline;
    TlsSession session = new TlsSession(keys.engine(calling), network);
    try {
      session.handshake();
    } catch (SSLException e) {
      throw refusal(e);
    } catch (SocketTimeoutException e) {
      if (calling || network.heard) {
        throw e;
      }
      // A caller without TLS waits for us to speak first: this it can read.
      socket.getOutputStream().write(ALERT);
      throw new Handshake.RefusedException("it does not begin TLS: " + ALL_OR_NONE);
    }
    return new TlsLink(network, session);
  }

  private static IOException refusal(SSLException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException) {
        return new Handshake.RefusedException(
            "its certificate is not trusted by the keystore of this process");
      }
    }
    String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("failed");
    return new Handshake.RefusedException(
        DISTRUST.matcher(message).matches()
            ? "the other side does not trust the certificate of this process"
            : "TLS: " + message);
  }

  @Override
  public Socket socket() {
    return network.socket;
  }

  @Override
  public int read(byte[] target, int offset, int count, Deadline deadline) throws IOException {
    network.deadline = deadline;
    try {
      return session.read(ByteBuffer.wrap(target, offset, count));
    } catch (SSLException e) {
      throw refusal(e);
    }
  }

  @Override
  public void write(byte[] message) throws IOException {
    session.write(new ByteBuffer[] {ByteBuffer.wrap(message)});
  }

  /**
   * Goes on without waiting, over the channel of the socket, which is non-blocking; the link must
   * not be used any more.
   */
  public TlsSession over(SocketChannel channel) {
    session.goOn(channel);
    return session;
  }

  /** The socket, waiting for every byte, but all in all no longer than the deadline. */
  private static final class Network implements ByteChannel {

    private final Socket socket;
    private Deadline deadline;
    private boolean heard;

    Network(Socket socket) {
      this.socket = socket;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
      int at = target.arrayOffset() + target.position();
      int read = deadline.read(socket, target.array(), at, target.remaining());
      if (read > 0) {
        heard = true;
        target.position(target.position() + read);
      }
      return read;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
      int count = source.remaining();
      int at = source.arrayOffset() + source.position();
      socket.getOutputStream().write(source.array(), at, count);
      source.position(source.limit());
      return count;
    }

    @Override
    public boolean isOpen() {
      return !socket.isClosed();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
