package dev.tandem.comm.transport;

import dev.tandem.comm.topology.Topology;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Moves bytes between the ranks of one job.
 *
 * <p>Messages between two ranks on one channel arrive in the order they were sent; channels are
 * independent of each other. A receiver must know the length of the message it waits for. {@link
 * #send} may wait for the receiver, so a rank that sends and receives at the same time uses {@link
 * #exchange}.
 *
 * <p>Memory is borrowed for the duration of a call. Calls on different channels may come from
 * different threads; on one channel one thread at a time may send to a rank and one may receive
 * from it. A thread must not be interrupted inside a call.
 *
 * <p>Every call throws {@link dev.tandem.core.PeerLostException} once any rank of the job is lost,
 * also calls that already wait, and all ranks name the same lost rank.
 */
public interface Transport extends AutoCloseable {

  /** So much may lie unreceived between two ranks on a channel without stopping the sender. */
  long EAGER_BYTES = 4 << 20;

  int rank();

  int size();

  /** The number of the host that a rank runs on, from 0. */
  default int host(int rank) {
    return 0;
  }

  /** Which rank is on which host. */
  default Topology topology() {
    return new Topology(IntStream.range(0, size()).mapToObj(rank -> "host-" + host(rank)).toList());
  }

  /** Sends a message to another rank; when it returns, the memory may be used again. */
  void send(int to, int channel, MemorySegment data);

  /** Waits for the next message of another rank, which must be as long as {@code target}. */
  void receive(int from, int channel, MemorySegment target);

  /** Sends and receives at the same time, so that ranks doing so in a circle never block. */
  void exchange(int to, MemorySegment data, int from, MemorySegment target, int channel);

  /**
   * Begins a receive, so that the message may arrive while this rank does something else. Messages
   * of a rank on a channel go to its receives in the order in which these began.
   *
   * <p>Unless a transport does better, nothing happens before {@link Arrival#await}; that is good
   * enough where a send does not wait for the receiver's program as long as it has no more than
   * {@link #EAGER_BYTES} of this channel still to receive.
   */
  default Arrival expect(int from, int channel, MemorySegment target) {
    return () -> receive(from, channel, target);
  }

  /**
   * Memory that these ranks share, if there is any between them; all of them call it at the same
   * time, in this order of ranks. The caller closes it before the transport.
   */
  default Optional<SharedSlots> slots(int channel, int[] members) {
    return slots(channel, members, Optional.empty());
  }

  /**
   * The same for ranks that wait at it in a way of their own; all of them name the same manner.
   *
   * @param waiting how, or what suits the ranks of this transport
   */
  default Optional<SharedSlots> slots(int channel, int[] members, Optional<WaitPolicy> waiting) {
    return Optional.empty();
  }

  /** What this rank has moved so far; of the steps, those at shared slots. */
  Traffic traffic();

  /**
   * Leaves the job. Others go on until they need this rank; if a rank was lost, they are told which
   * one.
   */
  @Override
  void close();
}
