package dev.tandem.comm.transport;

import dev.tandem.comm.topology.Topology;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;

/**
 * Processes of several hosts: ranks of one host send messages through memory that they share, and
 * teams whose members are all on one host share slots there, as in {@link SharedMemoryTransport};
 * other teams have none, and messages between hosts go over TCP.
 */
public final class HybridTransport implements Transport {

  private final SharedMemoryTransport inside;

  private HybridTransport(SharedMemoryTransport inside) {
    this.inside = inside;
  }

  /**
   * Adds shared memory inside the hosts to these connections, which it owns from now on; they are
   * closed if it throws. All ranks do this at the same time.
   */
  public static HybridTransport over(TcpTransport connections) {
    return new HybridTransport(SharedMemoryTransport.over(connections));
  }

  @Override
  public Optional<SharedSlots> slots(int channel, int[] members, Optional<WaitPolicy> waiting) {
    boolean oneHost = Arrays.stream(members).map(this::host).distinct().count() == 1;
    return oneHost ? inside.slots(channel, members, waiting) : Optional.empty();
  }

  @Override
  public int rank() {
    return inside.rank();
  }

  @Override
  public int size() {
    return inside.size();
  }

  @Override
  public int host(int rank) {
    return inside.host(rank);
  }

  @Override
  public Topology topology() {
    return inside.topology();
  }

  @Override
  public void send(int to, int channel, MemorySegment data) {
    inside.send(to, channel, data);
  }

  @Override
  public void receive(int from, int channel, MemorySegment target) {
    inside.receive(from, channel, target);
  }

  @Override
  public void exchange(int to, MemorySegment data, int from, MemorySegment target, int channel) {
    inside.exchange(to, data, from, target, channel);
  }

  @Override
  public Arrival expect(int from, int channel, MemorySegment target) {
    return inside.expect(from, channel, target);
  }

  @Override
  public Traffic traffic() {
    return inside.traffic();
  }

  @Override
  public void close() {
    inside.close();
  }
}
