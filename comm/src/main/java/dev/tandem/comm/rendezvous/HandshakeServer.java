package dev.tandem.comm.rendezvous;

import dev.tandem.comm.rendezvous.Handshake.Introduction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Listens for members of the job and lets nobody else in. Strangers cost a bounded number of
 * sockets and virtual threads for a bounded time; what they are refused for goes to the log.
 */
public final class HandshakeServer implements AutoCloseable {

  /** What to do with a connection that has proven itself. */
  public interface Reception {

    /** A reason to refuse a proven initiator, or empty. */
    Optional<String> objection(Introduction introduction);

    /** Takes over the connection, in a virtual thread of its own. */
    void accepted(Introduction introduction, Link link) throws IOException;
  }

  /** How long a connection may usually take to prove itself. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final int HANDSHAKES_AT_A_TIME = 64;
  private static final int BACKLOG = 256;

  private final ServerSocketChannel server;
  private final JobSecret secret;
  private final Optional<TlsKeys> tls;
  private final int myRank;
  private final Reception reception;
  private final Consumer<String> log;
  private final Duration patience;
  private final Semaphore handshakes = new Semaphore(HANDSHAKES_AT_A_TIME);

  private HandshakeServer(
      ServerSocketChannel server,
      JobSecret secret,
      Optional<TlsKeys> tls,
      int myRank,
      Reception reception,
      Consumer<String> log,
      Duration patience) {
    this.server = server;
    this.secret = secret;
    this.tls = tls;
    this.myRank = myRank;
    this.reception = reception;
    this.log = log;
    this.patience = patience;
  }

  /** Binds to a free port of this interface; {@link #start} begins to answer. */
  public static HandshakeServer bind(
      InetAddress networkInterface,
      JobSecret secret,
      Optional<TlsKeys> tls,
      int myRank,
      Reception reception,
      Consumer<String> log)
      throws IOException {
    InetSocketAddress address = new InetSocketAddress(networkInterface, 0);
    return bind(address, secret, tls, myRank, reception, log, PATIENCE);
  }

  /**
   * Binds to this address; {@link #start} begins to answer.
   *
   * @param patience how long a connection may take to prove itself
   */
  static HandshakeServer bind(
      InetSocketAddress address,
      JobSecret secret,
      Optional<TlsKeys> tls,
      int myRank,
      Reception reception,
      Consumer<String> log,
      Duration patience)
      throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open();
    try {
      server.bind(address, BACKLOG);
    } catch (IOException e) {
      server.close();
      throw e;
    }
    return new HandshakeServer(server, secret, tls, myRank, reception, log, patience);
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) server.socket().getLocalSocketAddress();
  }

  public void start() {
    Thread.ofPlatform().daemon().name("tandem-accept-" + myRank).start(this::acceptAll);
  }

  private void acceptAll() {
    while (server.isOpen()) {
      try {
        SocketChannel channel = server.accept();
        // Waiting here leaves further strangers in the kernel's bounded backlog.
        handshakes.acquireUninterruptibly();
        Thread.ofVirtual().name("tandem-handshake").start(() -> receive(channel));
      } catch (IOException e) {
        if (server.isOpen()) {
          log.accept("cannot accept a connection: " + e.getMessage());
          Thread.onSpinWait();
        }
      }
    }
  }

  private void receive(SocketChannel channel) {
    boolean handedOver = false;
    try {
      Introduction introduction;
      Link link;
      try {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        Deadline deadline = Deadline.in(patience);
        link = Link.accepted(channel.socket(), tls, deadline);
        introduction = Handshake.accept(link, secret, myRank, deadline, reception::objection);
      } finally {
        handshakes.release();
      }
      reception.accepted(introduction, link);
      handedOver = true;
    } catch (IOException e) {
      log.accept("refused a connection from " + origin(channel) + ": " + e.getMessage());
    } finally {
      if (!handedOver) {
        closeQuietly(channel);
      }
    }
  }

  private static String origin(SocketChannel channel) {
    return channel.socket().getRemoteSocketAddress() instanceof InetSocketAddress address
        ? Addresses.text(address)
        : "an unknown address";
  }

  private static void closeQuietly(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // The stranger is gone either way.
    }
  }

  /** Stops listening; connections that were handed over stay open. */
  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      log.accept("cannot stop listening: " + e.getMessage());
    }
  }
}
