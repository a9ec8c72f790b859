package dev.tandem.comm.collective;

import dev.tandem.comm.transport.Transport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Some ranks of a job that call collectives together, numbered from 0 in their order here, over a
 * channel of their own. Owns the scratch memory of its collectives. For one thread at a time.
 */
public final class Team implements AutoCloseable {

  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private final Transport transport;
  private final int channel;
  private final int[] members;
  private final int rank;
  private Arena arena = Arena.ofShared();
  private MemorySegment scratch = NOTHING;

  /**
   * @param members ranks of the transport; this rank must be one of them
   */
  public Team(Transport transport, int channel, int[] members) {
    this.transport = transport;
    this.channel = channel;
    this.members = members.clone();
    this.rank = indexOf(transport.rank(), members);
  }

  /** All ranks of a job. */
  public static Team everyone(Transport transport) {
    int[] members = new int[transport.size()];
    for (int rank = 0; rank < members.length; rank++) {
      members[rank] = rank;
    }
    return new Team(transport, 0, members);
  }

  private static int indexOf(int rank, int[] members) {
    for (int i = 0; i < members.length; i++) {
      if (members[i] == rank) {
        return i;
      }
    }
    throw new IllegalArgumentException("rank " + rank + " is not a member of the team");
  }

  public int rank() {
    return rank;
  }

  public int size() {
    return members.length;
  }

  public void send(int to, MemorySegment data) {
    transport.send(members[to], channel, data);
  }

  public void receive(int from, MemorySegment target) {
    transport.receive(members[from], channel, target);
  }

  public void exchange(int to, MemorySegment data, int from, MemorySegment target) {
    transport.exchange(members[to], data, members[from], target, channel);
  }

  /** Nothing, to be sent as a signal. */
  static MemorySegment nothing() {
    return NOTHING;
  }

  /** Native memory for the current collective; the next call may hand out the same. */
  MemorySegment scratch(long bytes) {
    if (scratch.byteSize() < bytes) {
      arena.close();
      arena = Arena.ofShared();
      scratch = arena.allocate(bytes, 64);
    }
    return scratch.asSlice(0, bytes);
  }

  @Override
  public void close() {
    arena.close();
  }
}
