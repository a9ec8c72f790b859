package dev.tandem.data.format;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Files as memory. */
public final class MappedFile {

  private MappedFile() {}

  /** The whole file, until the arena closes. */
  public static MemorySegment map(Path path, Arena arena) {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
    } catch (IOException e) {
      throw FileErrors.failure("read", path, e);
    }
  }
}
