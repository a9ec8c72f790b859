package dev.tandem.comm.transport;

import dev.tandem.comm.rendezvous.Addresses;
import dev.tandem.comm.rendezvous.Applicant;
import dev.tandem.comm.rendezvous.Deadline;
import dev.tandem.comm.rendezvous.Handshake;
import dev.tandem.comm.rendezvous.Handshake.Introduction;
import dev.tandem.comm.rendezvous.HandshakeServer;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.Membership;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The connections of one rank to all others: it calls the ranks below it and is called by those
 * above. Listens only until all are connected.
 *
 * @param channels by rank; its own is empty
 */
record TcpMesh(Membership membership, List<Optional<SocketChannel>> channels) {

  static TcpMesh connect(JobEnvironment job, Duration patience) {
    Deadline deadline = Deadline.in(patience);
    Callers callers = new Callers(job);
    Applicant applicant = Applicant.connect(job, deadline);
    try (HandshakeServer server =
        HandshakeServer.bind(
            applicant.localAddress(),
            job.secret(),
            job.rank(),
            callers,
            line -> System.err.println("tandem: rank " + job.rank() + " " + line))) {
      server.start();
      Membership membership = applicant.join(server.address());
      SocketChannel[] channels = callers.channels;
      for (int peer = 0; peer < job.rank(); peer++) {
        Introduction me = Introduction.of(job, server.address(), 0);
        SocketChannel channel = call(job, peer, membership.addresses().get(peer), me, deadline);
        synchronized (callers) {
          channels[peer] = channel;
        }
      }
      callers.await(deadline);
      return new TcpMesh(membership, Stream.of(channels).map(Optional::ofNullable).toList());
    } catch (IOException e) {
      applicant.close();
      throw new WorkFailedException(
          "rank %d cannot listen for others: %s".formatted(job.rank(), e.getMessage()), e);
    }
  }

  private static SocketChannel call(
      JobEnvironment job, int peer, InetSocketAddress address, Introduction me, Deadline deadline) {
    try {
      SocketChannel channel = SocketChannel.open();
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.socket().connect(address, deadline.remainingMillis());
      Handshake.initiate(channel.socket(), job.secret(), peer, me, deadline);
      channel.socket().setSoTimeout(0);
      return channel;
    } catch (IOException e) {
      throw new PeerLostException(
          peer,
          "cannot connect to it at %s: %s".formatted(Addresses.text(address), e.getMessage()));
    }
  }

  /** Collects the connections of the ranks above this one. */
  private static final class Callers implements HandshakeServer.Reception {

    private final JobEnvironment job;
    private final SocketChannel[] channels;

    Callers(JobEnvironment job) {
      this.job = job;
      this.channels = new SocketChannel[job.size()];
    }

    @Override
    public synchronized Optional<String> objection(Introduction caller) {
      if (caller.size() != job.size()
          || caller.rank() <= job.rank()
          || caller.rank() >= job.size()) {
        return Optional.of("rank %d expects no call from it".formatted(job.rank()));
      }
      return channels[caller.rank()] != null
          ? Optional.of("this rank is already connected")
          : Optional.empty();
    }

    @Override
    public synchronized void accepted(Introduction caller, SocketChannel channel)
        throws IOException {
      if (channels[caller.rank()] != null) {
        throw new IOException("rank " + caller.rank() + ": this rank is already connected");
      }
      channels[caller.rank()] = channel;
      notifyAll();
    }

    synchronized void await(Deadline deadline) {
      for (int peer = job.rank() + 1; peer < job.size(); peer++) {
        while (channels[peer] == null) {
          if (deadline.passed()) {
            throw new PeerLostException(peer, "it has joined the job but does not connect");
          }
          try {
            TimeUnit.NANOSECONDS.timedWait(this, deadline.remainingNanos());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WorkFailedException("interrupted while ranks connect", e);
          }
        }
      }
    }
  }
}
