package dev.tandem.comm.rendezvous;

import dev.tandem.comm.rendezvous.Handshake.Introduction;
import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A rank that has reached the meeting point and not yet joined: it knows by which of its addresses
 * the job is reached, and can listen there and nowhere else. For one thread.
 */
public final class JoiningRank implements AutoCloseable {

  private static final Duration RETRY = Duration.ofMillis(50);

  private final JobEnvironment job;
  private final Deadline deadline;
  private Socket socket = new Socket();
  // From here on the meeting point's patience may run.
  private long connecting;

  private JoiningRank(JobEnvironment job, Deadline deadline) {
    this.job = job;
    this.deadline = deadline;
  }

  /**
   * Connects to the meeting point, for which it waits if it may be early; {@link #join} should
   * follow within seconds.
   *
   * @throws WorkFailedException if it cannot be reached
   */
  public static JoiningRank connect(JobEnvironment job, Deadline deadline) {
    while (true) {
      JoiningRank joining = new JoiningRank(job, deadline);
      try {
        joining.connect();
        return joining;
      } catch (ConnectException e) {
        if (!job.mayBeEarly() || deadline.passed()) {
          throw joining.failure(e);
        }
        joining.close();
        LockSupport.parkNanos(RETRY.toNanos());
      } catch (IOException e) {
        throw joining.failure(e);
      }
    }
  }

  private void connect() throws IOException {
    connecting = System.nanoTime();
    socket.setTcpNoDelay(true);
    socket.connect(job.rendezvous(), Math.max(1, deadline.remainingMillis()));
  }

  /** The address of this host from which the meeting point was reached. */
  public InetAddress localAddress() {
    return socket.getLocalAddress();
  }

  /**
   * Joins the job and waits until all ranks have. The connection goes over to the membership.
   *
   * @param listening where this rank accepts connections of others
   * @throws WorkFailedException if the job refuses this process or others do not join
   */
  public Membership join(InetSocketAddress listening) {
    try {
      Link link = introduce(Introduction.of(job, listening, 0));
      List<RankTable.RankAddress> ranks = RankTable.receive(link, job.secret(), deadline);
      if (ranks.size() != job.size()) {
        throw new IOException("got the addresses of " + ranks.size() + " ranks");
      }
      return new Membership(link, ranks);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /**
   * On a busy machine a process may take longer than the meeting point waits for anybody, above all
   * for its first handshake of TLS; it then calls again.
   */
  private Link introduce(Introduction me) throws IOException {
    while (true) {
      try {
        Link link = Link.called(socket, job.tls(), deadline);
        Handshake.initiate(link, job.secret(), Handshake.MEETING_POINT, me, deadline);
        return link;
      } catch (Handshake.RefusedException e) {
        throw e;
      } catch (IOException e) {
        boolean late = System.nanoTime() - connecting >= HandshakeServer.PATIENCE.toNanos();
        if (!late || deadline.passed()) {
          throw e;
        }
        close();
        socket = new Socket();
        connect();
      }
    }
  }

  private WorkFailedException failure(IOException e) {
    close();
    return new WorkFailedException(
        "rank %d of %d cannot join the job at %s: %s"
            .formatted(job.rank(), job.size(), Addresses.text(job.rendezvous()), e.getMessage()),
        e);
  }

  /** Gives up without joining. */
  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // Nothing is lost: nothing was said.
    }
  }
}
