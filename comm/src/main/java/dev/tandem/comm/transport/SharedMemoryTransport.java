package dev.tandem.comm.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.Topology;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.SharedMemoryFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Processes of one host: teams of them get a {@link Board} in memory that they share, for the
 * collectives; messages between two ranks, and the watch over lost ranks, go over loopback
 * connections.
 *
 * <p>The shared file is unlinked as soon as all members have mapped it, so nothing is left over
 * however they end.
 */
public final class SharedMemoryTransport implements Transport {

  private static final byte YES = 1;
  private static final int MAXIMUM_NAME = 4096;

  private final TcpTransport connections;
  private final List<Path> folders;

  private SharedMemoryTransport(TcpTransport connections, List<Path> folders) {
    this.connections = connections;
    this.folders = List.copyOf(folders);
  }

  /** Joins a job whose ranks are all on this host; the parameters are those of TCP. */
  public static SharedMemoryTransport join(
      JobEnvironment job, Duration silenceLimit, Duration patience) {
    return join(job, silenceLimit, patience, SharedMemoryFile.folders());
  }

  /** Joins a job and shares memory in the first of these folders that has room. */
  static SharedMemoryTransport join(
      JobEnvironment job, Duration silenceLimit, Duration patience, List<Path> folders) {
    return new SharedMemoryTransport(TcpTransport.join(job, silenceLimit, patience), folders);
  }

  /** Adds shared memory to these connections, which it owns from now on. */
  public static SharedMemoryTransport over(TcpTransport connections) {
    return new SharedMemoryTransport(connections, SharedMemoryFile.folders());
  }

  /** The memory of any team whose members are all on this host. */
  @Override
  public Optional<Board> board(int channel, int[] members) {
    boolean first = members[0] == rank();
    Optional<Path> file = first ? create(members.length) : Optional.empty();
    try {
      return share(channel, members, file);
    } finally {
      // Gone already, unless a member was lost before all had mapped it.
      file.ifPresent(SharedMemoryFile::unlink);
    }
  }

  private Optional<Board> share(int channel, int[] members, Optional<Path> file) {
    boolean first = members[0] == rank();
    byte[] name = new byte[MAXIMUM_NAME];
    if (first) {
      file.ifPresent(path -> encode(path, name));
      tellOthers(channel, members, name);
    } else {
      connections.receive(members[0], channel, MemorySegment.ofArray(name));
    }
    Optional<Board> board = decode(name).flatMap(path -> map(path, members));
    boolean allMapped = agree(channel, members, board.isPresent(), file);
    if (!allMapped) {
      board.ifPresent(Board::close);
      return Optional.empty();
    }
    return board;
  }

  private Optional<Path> create(int members) {
    try {
      return Optional.of(SharedMemoryFile.create(Board.bytes(members), folders));
    } catch (WorkFailedException e) {
      System.err.println("tandem: " + e.getMessage() + "; collectives go over TCP");
      return Optional.empty();
    }
  }

  private static void encode(Path path, byte[] name) {
    byte[] text = path.toString().getBytes(UTF_8);
    System.arraycopy(text, 0, name, 0, text.length);
  }

  private static Optional<Path> decode(byte[] name) {
    int length = 0;
    while (length < name.length && name[length] != 0) {
      length++;
    }
    return length == 0
        ? Optional.empty()
        : Optional.of(Path.of(new String(name, 0, length, UTF_8)));
  }

  private Optional<Board> map(Path path, int[] members) {
    Arena arena = Arena.ofShared();
    // Ranks of other hosts do not compete for the processors of this one.
    WaitPolicy policy = WaitPolicy.forRanks(topology().localSize(rank()));
    try {
      MemorySegment memory = SharedMemoryFile.map(path, arena);
      return Optional.of(connections.board(memory, arena, members, policy));
    } catch (WorkFailedException e) {
      arena.close();
      System.err.println("tandem: " + e.getMessage() + "; collectives go over TCP");
      return Optional.empty();
    }
  }

  /**
   * Whether all members have mapped the file; the first collects the answers, unlinks the file, and
   * only then tells the result.
   */
  private boolean agree(int channel, int[] members, boolean mine, Optional<Path> file) {
    MemorySegment answer = MemorySegment.ofArray(new byte[] {mine ? YES : 0});
    if (members[0] != rank()) {
      connections.send(members[0], channel, answer);
      connections.receive(members[0], channel, answer);
      return answer.get(ValueLayout.JAVA_BYTE, 0) == YES;
    }
    boolean all = mine;
    for (int member = 1; member < members.length; member++) {
      connections.receive(members[member], channel, answer);
      all &= answer.get(ValueLayout.JAVA_BYTE, 0) == YES;
    }
    file.ifPresent(SharedMemoryFile::unlink);
    tellOthers(channel, members, new byte[] {all ? YES : 0});
    return all;
  }

  private void tellOthers(int channel, int[] members, byte[] message) {
    for (int member = 1; member < members.length; member++) {
      connections.send(members[member], channel, MemorySegment.ofArray(message));
    }
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

  @Override
  public void send(int to, int channel, MemorySegment data) {
    connections.send(to, channel, data);
  }

  @Override
  public void receive(int from, int channel, MemorySegment target) {
    connections.receive(from, channel, target);
  }

  @Override
  public void exchange(int to, MemorySegment data, int from, MemorySegment target, int channel) {
    connections.exchange(to, data, from, target, channel);
  }

  @Override
  public Arrival expect(int from, int channel, MemorySegment target) {
    return connections.expect(from, channel, target);
  }

  @Override
  public Traffic traffic() {
    return connections.traffic();
  }

  @Override
  public void close() {
    connections.close();
  }
}
