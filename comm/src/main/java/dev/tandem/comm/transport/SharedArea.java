package dev.tandem.comm.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.SharedMemoryFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Zeroed memory that some ranks of a host share. The file behind it is unlinked as soon as all of
 * them have mapped it, so nothing is left over however they end.
 *
 * @param arena what to close when the memory is not used any more
 */
record SharedArea(MemorySegment memory, Arena arena) {

  private static final byte YES = 1;
  private static final int MAXIMUM_NAME = 4096;

  /**
   * Makes it, if there is room and all members can map it; all of them call this at the same time.
   *
   * @param bytes how much
   * @param folders where it may live, best first
   */
  static Optional<SharedArea> share(
      TcpTransport connections, int channel, int[] members, long bytes, List<Path> folders) {
    Meeting meeting = new Meeting(connections, channel, members);
    Optional<Path> file = meeting.first() ? create(bytes, folders) : Optional.empty();
    try {
      return meeting.share(file);
    } finally {
      // Gone already, unless a member was lost before all had mapped it.
      file.ifPresent(SharedMemoryFile::unlink);
    }
  }

  private static Optional<Path> create(long bytes, List<Path> folders) {
    try {
      return Optional.of(SharedMemoryFile.create(bytes, folders));
    } catch (WorkFailedException e) {
      System.err.println("tandem: " + e.getMessage() + "; TCP is used instead");
      return Optional.empty();
    }
  }

  private static Optional<SharedArea> map(Path path) {
    Arena arena = Arena.ofShared();
    try {
      return Optional.of(new SharedArea(SharedMemoryFile.map(path, arena), arena));
    } catch (WorkFailedException e) {
      arena.close();
      System.err.println("tandem: " + e.getMessage() + "; TCP is used instead");
      return Optional.empty();
    }
  }

  /** The members agree over their connections; the first of them decides. */
  private static final class Meeting {

    private final TcpTransport connections;
    private final int channel;
    private final int[] members;

    Meeting(TcpTransport connections, int channel, int[] members) {
      this.connections = connections;
      this.channel = channel;
      this.members = members;
    }

    boolean first() {
      return members[0] == connections.rank();
    }

    Optional<SharedArea> share(Optional<Path> file) {
      byte[] name = new byte[MAXIMUM_NAME];
      if (first()) {
        file.ifPresent(path -> encode(path, name));
        tellOthers(name);
      } else {
        connections.receive(members[0], channel, MemorySegment.ofArray(name));
      }
      Optional<SharedArea> area = decode(name).flatMap(SharedArea::map);
      boolean agreed = false;
      try {
        agreed = agree(area.isPresent(), file);
      } finally {
        if (!agreed) {
          area.ifPresent(mapped -> mapped.arena().close());
        }
      }
      return agreed ? area : Optional.empty();
    }

    /**
     * Whether all members have mapped the file; the first collects the answers, unlinks the file,
     * and only then tells the result.
     */
    private boolean agree(boolean mine, Optional<Path> file) {
      MemorySegment answer = MemorySegment.ofArray(new byte[] {mine ? YES : 0});
      if (!first()) {
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
      tellOthers(new byte[] {all ? YES : 0});
      return all;
    }

    private void tellOthers(byte[] message) {
      for (int member = 1; member < members.length; member++) {
        connections.send(members[member], channel, MemorySegment.ofArray(message));
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
  }
}
