package dev.tandem.comm.transport;

import dev.tandem.comm.rendezvous.Addresses;
import dev.tandem.comm.rendezvous.Deadline;
import dev.tandem.comm.rendezvous.Handshake;
import dev.tandem.comm.rendezvous.Handshake.Introduction;
import dev.tandem.comm.rendezvous.HandshakeServer;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.JoiningRank;
import dev.tandem.comm.rendezvous.Link;
import dev.tandem.comm.rendezvous.Membership;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The connections of one rank to all others: it calls the ranks below it and is called by those
 * above. Listens only until all are connected.
 *
 * @param wires by rank, one for each lane; its own has none
 */
record TcpMesh(Membership membership, List<List<Wire>> wires) {

  static TcpMesh connect(JobEnvironment job, Duration patience) {
    Deadline deadline = Deadline.in(patience);
    Callers callers = new Callers(job);
    JoiningRank joining = JoiningRank.connect(job, deadline);
    try (HandshakeServer server =
        HandshakeServer.bind(
            joining.localAddress(),
            job.secret(),
            job.tls(),
            job.rank(),
            callers,
            new RefusalLog("rank " + job.rank()))) {
      server.start();
      Membership membership = joining.join(server.address());
      Sockets sockets = Sockets.of(System.getenv());
      List<List<Wire>> wires = new ArrayList<>();
      for (int peer = 0; peer < job.size(); peer++) {
        int lanes = sockets.between(job.rank(), peer);
        List<Wire> connected = new ArrayList<>();
        for (int lane = 0; lane < lanes; lane++) {
          Introduction me = Introduction.of(job, server.address(), lane);
          connected.add(
              Wire.over(
                  peer < job.rank()
                      ? call(job, peer, membership.addresses().get(peer), me, deadline)
                      : callers.await(peer, lane, deadline)));
        }
        wires.add(connected);
      }
      return new TcpMesh(membership, wires);
    } catch (IOException e) {
      joining.close();
      throw new WorkFailedException(
          "rank %d cannot listen for others: %s".formatted(job.rank(), e.getMessage()), e);
    }
  }

  private static Link call(
      JobEnvironment job, int peer, InetSocketAddress address, Introduction me, Deadline deadline) {
    try {
      SocketChannel channel = SocketChannel.open();
      try {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.socket().connect(address, deadline.remainingMillis());
        Link link = Link.called(channel.socket(), job.tls(), deadline);
        Handshake.initiate(link, job.secret(), peer, me, deadline);
        return link;
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new PeerLostException(
          peer,
          "cannot connect to it at %s: %s".formatted(Addresses.text(address), e.getMessage()));
    }
  }

  /** Collects the connections of the ranks above this one. */
  private static final class Callers implements HandshakeServer.Reception {

    private record Line(int rank, int lane) {}

    private final JobEnvironment job;
    private final Map<Line, Link> lines = new HashMap<>();

    Callers(JobEnvironment job) {
      this.job = job;
    }

    @Override
    public synchronized Optional<String> objection(Introduction caller) {
      if (caller.size() != job.size()
          || caller.rank() <= job.rank()
          || caller.rank() >= job.size()
          || caller.lane() < 0
          || caller.lane() >= Sockets.MOST) {
        return Optional.of("rank %d expects no call from it".formatted(job.rank()));
      }
      return lines.containsKey(new Line(caller.rank(), caller.lane()))
          ? Optional.of("this rank is already connected")
          : Optional.empty();
    }

    @Override
    public synchronized void accepted(Introduction caller, Link link) throws IOException {
      if (lines.putIfAbsent(new Line(caller.rank(), caller.lane()), link) != null) {
        throw new IOException("rank " + caller.rank() + ": this rank is already connected");
      }
      notifyAll();
    }

    synchronized Link await(int peer, int lane, Deadline deadline) {
      Line line = new Line(peer, lane);
      while (!lines.containsKey(line)) {
        if (deadline.passed()) {
          throw new PeerLostException(
              peer,
              lane == 0
                  ? "it has joined the job but does not connect"
                  : "it connects with %d sockets only: set %s alike for all ranks"
                      .formatted(lane, Sockets.VARIABLE));
        }
        try {
          TimeUnit.NANOSECONDS.timedWait(this, deadline.remainingNanos());
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new WorkFailedException("interrupted while ranks connect", e);
        }
      }
      return lines.get(line);
    }
  }
}
