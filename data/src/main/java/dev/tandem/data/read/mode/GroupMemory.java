package dev.tandem.data.read.mode;

import dev.tandem.posix.SharedMemoryFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Memory that some processes of one host map together. It goes when the last of them is gone. */
final class GroupMemory {

  private static final int NAME_BYTES = 1024;

  private GroupMemory() {}

  /**
   * Makes or joins memory of the group, full of zeros; all its processes call it together.
   *
   * @param huge how many bytes of it are in huge pages, where the kernel can
   */
  static MemorySegment map(Peers group, long bytes, long huge) {
    if (group.size() == 1) {
      return Arena.ofAuto().allocate(bytes, Long.BYTES);
    }
    byte[] name = new byte[NAME_BYTES];
    Path file = null;
    if (group.rank() == 0) {
      file = SharedMemoryFile.create(bytes, huge, SharedMemoryFile.folders());
      byte[] text = file.toString().getBytes(StandardCharsets.UTF_8);
      System.arraycopy(text, 0, name, 0, text.length);
    }
    group.broadcast(name, 0);
    Path shared = Path.of(new String(name, StandardCharsets.UTF_8).replace("\0", ""));
    MemorySegment memory = SharedMemoryFile.map(shared, Arena.ofAuto());
    group.barrier();
    if (file != null) {
      SharedMemoryFile.unlink(file);
    }
    return memory;
  }
}
