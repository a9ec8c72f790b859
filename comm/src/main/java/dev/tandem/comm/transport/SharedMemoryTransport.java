package dev.tandem.comm.transport;

import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.topology.Topology;
import dev.tandem.posix.SharedMemoryFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Processes of one host, or of several: ranks of one host send messages through memory that they
 * share ({@link LocalMessages}), and teams of them get {@link SharedSlots} there for the
 * collectives. Messages between hosts, and the watch over lost ranks, go over connections; so does
 * everything that finds no memory to share.
 */
public final class SharedMemoryTransport implements Transport {

  /** Used by no team. */
  private static final int SETUP_CHANNEL = -1;

  private final TcpTransport connections;
  private final List<Path> folders;
  private final WaitPolicy policy;
  private final Optional<LocalMessages> messages;

  private SharedMemoryTransport(TcpTransport connections, List<Path> folders) {
    this.connections = connections;
    this.folders = List.copyOf(folders);
    // Ranks of other hosts do not compete for the processors of this one.
    this.policy = WaitPolicy.forRank(topology().localRank(rank()), topology().localSize(rank()));
    this.messages = messages(topology().ranksOf(topology().host(rank())));
  }

  private Optional<LocalMessages> messages(int[] neighbours) {
    return neighbours.length == 1
        ? Optional.empty()
        : SharedArea.share(
                connections,
                SETUP_CHANNEL,
                neighbours,
                RingLayout.of(neighbours.length).bytes(),
                folders)
            .map(
                area -> connections.localMessages(area.memory(), area.arena(), neighbours, policy));
  }

  /** Joins a job whose ranks are all on this host; the parameters are those of TCP. */
  public static SharedMemoryTransport join(
      JobEnvironment job, Duration silenceLimit, Duration patience) {
    return join(job, silenceLimit, patience, SharedMemoryFile.folders());
  }

  /** Joins a job and shares memory in the first of these folders that has room. */
  static SharedMemoryTransport join(
      JobEnvironment job, Duration silenceLimit, Duration patience, List<Path> folders) {
    return over(TcpTransport.join(job, silenceLimit, patience), folders);
  }

  /**
   * Adds shared memory to these connections, which it owns from now on; they are closed if it
   * throws. All ranks do this at the same time.
   */
  public static SharedMemoryTransport over(TcpTransport connections) {
    return over(connections, SharedMemoryFile.folders());
  }

  private static SharedMemoryTransport over(TcpTransport connections, List<Path> folders) {
    try {
      return new SharedMemoryTransport(connections, folders);
    } catch (RuntimeException e) {
      connections.close();
      throw e;
    }
  }

  /** The memory of any team whose members are all on this host. */
  @Override
  public Optional<SharedSlots> slots(int channel, int[] members, Optional<WaitPolicy> waiting) {
    return SharedArea.share(
            connections, channel, members, SharedSlots.bytes(members.length), folders)
        .map(
            area ->
                connections.slots(area.memory(), area.arena(), members, waiting.orElse(policy)));
  }

  @Override
  public int rank() {
    return connections.rank();
  }

  @Override
  public int size() {
    return connections.size();
  }

  @Override
  public int host(int rank) {
    return connections.host(rank);
  }

  @Override
  public Topology topology() {
    return connections.topology();
  }

  private boolean near(int rank) {
    return messages.isPresent() && messages.get().reaches(rank);
  }

  @Override
  public void send(int to, int channel, MemorySegment data) {
    if (near(to)) {
      messages.get().send(to, channel, data);
    } else {
      connections.send(to, channel, data);
    }
  }

  @Override
  public void receive(int from, int channel, MemorySegment target) {
    if (near(from)) {
      messages.get().receive(from, channel, target);
    } else {
      connections.receive(from, channel, target);
    }
  }

  @Override
  public void exchange(int to, MemorySegment data, int from, MemorySegment target, int channel) {
    if (near(to) && near(from)) {
      messages.get().exchange(to, data, from, target, channel);
    } else if (near(to) || near(from)) {
      exchangeBothWays(to, data, from, target, channel);
    } else {
      connections.exchange(to, data, from, target, channel);
    }
  }

  /**
   * With one rank of this host and one of another: no call looks after both ways, but what is
   * expected is read by the thread of its way while this one sends.
   */
  private void exchangeBothWays(
      int to, MemorySegment data, int from, MemorySegment target, int channel) {
    Iterator<MemorySegment> outgoing = Frames.of(data).iterator();
    Iterator<MemorySegment> incoming = Frames.of(target).iterator();
    while (outgoing.hasNext() || incoming.hasNext()) {
      Optional<Arrival> arrival =
          incoming.hasNext()
              ? Optional.of(expect(from, channel, incoming.next()))
              : Optional.empty();
      if (outgoing.hasNext()) {
        try {
          send(to, channel, outgoing.next());
        } catch (RuntimeException e) {
          arrival.ifPresent(Arrival::abandon);
          throw e;
        }
      }
      arrival.ifPresent(Arrival::await);
    }
  }

  @Override
  public Arrival expect(int from, int channel, MemorySegment target) {
    if (!near(from)) {
      return connections.expect(from, channel, target);
    }
    return target.byteSize() > TcpPeer.MAXIMUM_FRAME
        ? () -> receive(from, channel, target)
        : messages.get().expect(from, channel, target);
  }

  @Override
  public Traffic traffic() {
    return connections.traffic();
  }

  @Override
  public void close() {
    connections.close();
    messages.ifPresent(LocalMessages::close);
  }
}
