package dev.tandem.comm.rendezvous;

import dev.tandem.comm.rendezvous.Handshake.Introduction;
import dev.tandem.core.WorkFailedException;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;

/**
 * A rank's place in its job: where all ranks listen, and a line to the launcher over which it can
 * say which rank was lost. Thread-safe.
 */
public final class Membership implements AutoCloseable {

  private final Socket socket;
  private final List<InetSocketAddress> addresses;

  private Membership(Socket socket, List<InetSocketAddress> addresses) {
    this.socket = socket;
    this.addresses = addresses;
  }

  /**
   * Joins the job and waits until all ranks have.
   *
   * @param listening where this rank accepts connections of others
   * @throws WorkFailedException if the job refuses this process or others do not join
   */
  public static Membership join(
      JobEnvironment job, InetSocketAddress listening, Deadline deadline) {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.connect(job.rendezvous(), deadline.remainingMillis());
      Handshake.initiate(
          socket,
          job.secret(),
          Handshake.MEETING_POINT,
          new Introduction(job.rank(), job.size(), Addresses.text(listening)),
          deadline);
      List<InetSocketAddress> addresses =
          Roster.receive(socket, job.secret(), deadline).stream().map(Addresses::parse).toList();
      if (addresses.size() != job.size()) {
        throw new IOException("got " + addresses.size() + " addresses");
      }
      return new Membership(socket, addresses);
    } catch (IOException e) {
      closeQuietly(socket);
      throw new WorkFailedException(
          "rank %d of %d cannot join the job at %s: %s"
              .formatted(job.rank(), job.size(), Addresses.text(job.rendezvous()), e.getMessage()),
          e);
    }
  }

  /** Where each rank listens. */
  public List<InetSocketAddress> addresses() {
    return addresses;
  }

  /** Tells the launcher which rank was lost; a launcher that is gone does not matter. */
  public synchronized void reportLoss(int rank) {
    try {
      new DataOutputStream(socket.getOutputStream()).writeInt(rank);
    } catch (IOException e) {
      closeQuietly(socket);
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // Nothing is lost: the connection carries nothing that must arrive.
    }
  }

  @Override
  public void close() {
    closeQuietly(socket);
  }
}
