package dev.tandem.data.read.mode;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.Topology;
import java.lang.foreign.MemorySegment;

/**
 * Readers that are the ranks of a communicator.
 *
 * @param owned the communicator is closed with this
 */
public record CommunicatorPeers(Communicator communicator, boolean owned) implements Peers {

  @Override
  public int rank() {
    return communicator.rank();
  }

  @Override
  public int size() {
    return communicator.size();
  }

  @Override
  public int[] hostRanks() {
    Topology topology = communicator.topology();
    return topology.ranksOf(topology.host(rank()));
  }

  @Override
  public int[] hosts() {
    Topology topology = communicator.topology();
    int[] hosts = new int[topology.size()];
    for (int rank = 0; rank < hosts.length; rank++) {
      hosts[rank] = topology.host(rank);
    }
    return hosts;
  }

  @Override
  public void barrier() {
    communicator.barrier();
  }

  @Override
  public void broadcast(byte[] bytes, int root) {
    communicator.broadcast(MemorySegment.ofArray(bytes), root);
  }

  @Override
  public void send(byte[] bytes, int to) {
    communicator.send(MemorySegment.ofArray(bytes), to);
  }

  @Override
  public void receive(byte[] target, int from) {
    communicator.receive(MemorySegment.ofArray(target), from);
  }

  @Override
  public Peers group(int... ranks) {
    return new CommunicatorPeers(communicator.group(ranks), true);
  }

  @Override
  public void close() {
    if (owned) {
      communicator.close();
    }
  }
}
