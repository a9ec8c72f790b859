package dev.tandem.comm.device;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.SharedMemoryFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** Memory that all ranks of a communicator, which are on one host, share. */
record HostArea(MemorySegment memory, Arena arena) implements AutoCloseable {

  private static final int LONGEST_NAME = 4096;

  /** Makes it if there is room and all ranks can map it; all of them call this together. */
  static Optional<HostArea> share(Communicator ranks, long bytes) {
    Optional<Path> made = ranks.rank() == 0 ? create(bytes) : Optional.empty();
    try {
      byte[] name = new byte[LONGEST_NAME];
      made.ifPresent(
          path -> {
            byte[] text = path.toString().getBytes(StandardCharsets.UTF_8);
            System.arraycopy(text, 0, name, 0, text.length);
          });
      ranks.broadcast(MemorySegment.ofArray(name), 0);
      Optional<HostArea> area = map(new String(name, StandardCharsets.UTF_8).strip());
      int[] all = {area.isPresent() ? 1 : 0};
      ranks.allreduce(MemorySegment.ofArray(all), DType.INT32, ReduceOp.MIN);
      if (all[0] == 0) {
        area.ifPresent(HostArea::close);
        return Optional.empty();
      }
      return area;
    } finally {
      made.ifPresent(SharedMemoryFile::unlink);
    }
  }

  private static Optional<Path> create(long bytes) {
    try {
      return Optional.of(SharedMemoryFile.create(bytes, SharedMemoryFile.folders()));
    } catch (WorkFailedException e) {
      System.err.println("tandem: " + e.getMessage() + "; gradients of devices are sent instead");
      return Optional.empty();
    }
  }

  private static Optional<HostArea> map(String padded) {
    int end = padded.indexOf(0);
    String name = end < 0 ? padded : padded.substring(0, end);
    if (name.isEmpty()) {
      return Optional.empty();
    }
    Arena arena = Arena.ofShared();
    try {
      return Optional.of(new HostArea(SharedMemoryFile.map(Path.of(name), arena), arena));
    } catch (WorkFailedException e) {
      arena.close();
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
