package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.comm.transport.Board;
import dev.tandem.comm.transport.Transport;
import dev.tandem.core.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * Some ranks of a job that call collectives together, numbered from 0 in their order here, over a
 * channel of their own and, where there is one, a board in memory that they share. Owns the scratch
 * memory of its collectives. For one thread at a time.
 */
public final class Team implements AutoCloseable {

  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private final Transport transport;
  private final int channel;
  private final int[] members;
  private final int rank;
  private final Optional<Board> board;
  private final Map<DType, Map<ReduceOp, Reduction>> reductions = new EnumMap<>(DType.class);
  private Arena arena = Arena.ofShared();
  private MemorySegment scratch = NOTHING;
  private Arena resultArena = Arena.ofShared();
  private MemorySegment result = NOTHING;

  /**
   * Forms the team; all members do so at the same time.
   *
   * @param channel known to all members; it and the next are used by no other team of theirs
   * @param members ranks of the transport; this rank must be one of them
   */
  public Team(Transport transport, int channel, int[] members) {
    this.transport = transport;
    this.channel = channel;
    this.members = members.clone();
    this.rank = indexOf(transport.rank(), members);
    this.board = members.length > 1 ? transport.board(channel, members) : Optional.empty();
  }

  /** All ranks of a job. */
  public static Team everyone(Transport transport, int channel) {
    int[] members = new int[transport.size()];
    for (int rank = 0; rank < members.length; rank++) {
      members[rank] = rank;
    }
    return new Team(transport, channel, members);
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

  /** What the costs of this team's collectives depend on. */
  public Place place() {
    return new Place(rank, size(), board.isPresent());
  }

  /** The ranks of the transport that these members of the team are. */
  public int[] members(int... ranks) {
    int[] chosen = new int[ranks.length];
    for (int i = 0; i < ranks.length; i++) {
      chosen[i] = members[ranks[i]];
    }
    return chosen;
  }

  /**
   * Tells some members a number that the first of them chooses; exactly those members call this.
   */
  public int tell(int[] ranks, IntSupplier choice) {
    int[] number = new int[1];
    MemorySegment message = MemorySegment.ofArray(number);
    if (ranks[0] != rank) {
      receive(ranks[0], message);
      return number[0];
    }
    number[0] = choice.getAsInt();
    for (int i = 1; i < ranks.length; i++) {
      send(ranks[i], message);
    }
    return number[0];
  }

  /** The rank that lies so far ahead, going round. */
  int ahead(int distance) {
    return (rank + distance) % size();
  }

  /** The rank that lies so far behind, going round. */
  int behind(int distance) {
    return Math.floorMod(rank - distance, size());
  }

  /** Lets the board compare what the members are about to do. */
  void intend(long intention) {
    board.ifPresent(shared -> shared.intend(intention));
  }

  Optional<Board> board() {
    return board;
  }

  void send(int to, MemorySegment data) {
    transport.send(members[to], channel, data);
  }

  void receive(int from, MemorySegment target) {
    transport.receive(members[from], channel, target);
  }

  void exchange(int to, MemorySegment data, int from, MemorySegment target) {
    transport.exchange(members[to], data, members[from], target, channel);
  }

  /** Sends outside of the collectives, matched by {@link #receiveMessage} alone. */
  void sendMessage(int to, MemorySegment data) {
    transport.send(members[to], channel + 1, data);
  }

  void receiveMessage(int from, MemorySegment target) {
    transport.receive(members[from], channel + 1, target);
  }

  /** Nothing, to be sent as a signal. */
  static MemorySegment nothing() {
    return NOTHING;
  }

  /** The reduction of this kind, kept because its blocks are worth reusing. */
  Reduction reduction(DType type, ReduceOp op) {
    return reductions
        .computeIfAbsent(type, key -> new EnumMap<>(ReduceOp.class))
        .computeIfAbsent(op, key -> new Reduction(type, op));
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

  /** Native memory for a result that is made while {@link #scratch} is in use. */
  MemorySegment result(long bytes) {
    if (result.byteSize() < bytes) {
      resultArena.close();
      resultArena = Arena.ofShared();
      result = resultArena.allocate(bytes, 64);
    }
    return result.asSlice(0, bytes);
  }

  @Override
  public void close() {
    resultArena.close();
    board.ifPresent(Board::close);
    arena.close();
  }
}
