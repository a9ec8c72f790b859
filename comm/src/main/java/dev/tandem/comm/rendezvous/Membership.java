package dev.tandem.comm.rendezvous;

import dev.tandem.comm.topology.Topology;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A rank's place in its job: on which hosts all ranks are, where they listen, and a line to the
 * launcher over which it can say which rank was lost. Thread-safe.
 */
public final class Membership implements AutoCloseable {

  private final Link link;
  private final List<InetSocketAddress> addresses;
  private final Topology topology;

  Membership(Link link, List<RankTable.RankAddress> ranks) {
    this.link = link;
    this.addresses = ranks.stream().map(address -> Addresses.parse(address.address())).toList();
    this.topology = new Topology(ranks.stream().map(RankTable.RankAddress::host).toList());
  }

  /**
   * Joins the job and waits until all ranks have.
   *
   * @param listening where this rank accepts connections of others
   * @throws dev.tandem.core.WorkFailedException if the job refuses this process or others do not
   *     join
   */
  public static Membership join(
      JobEnvironment job, InetSocketAddress listening, Deadline deadline) {
    return JoiningRank.connect(job, deadline).join(listening);
  }

  /** On which host each rank is. */
  public Topology topology() {
    return topology;
  }

  /** Where each rank listens. */
  public List<InetSocketAddress> addresses() {
    return addresses;
  }

  /** Tells the launcher which rank was lost; a launcher that is gone does not matter. */
  public synchronized void reportLoss(int rank) {
    try {
      link.write(ByteBuffer.allocate(Integer.BYTES).putInt(rank).array());
    } catch (IOException e) {
      closeQuietly();
    }
  }

  private void closeQuietly() {
    try {
      link.close();
    } catch (IOException e) {
      // Nothing is lost: the connection carries nothing that must arrive.
    }
  }

  @Override
  public void close() {
    closeQuietly();
  }
}
