package dev.tandem.data.read;

import dev.tandem.posix.SharedMemoryFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Which pages of the file the roots of this host have touched in advance: one bit a page, in memory
 * that they share, as they share the page cache.
 */
final class FetchedPages {

  private static final int NAME_BYTES = 1024;
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment bits;

  /**
   * All roots of the host call it together.
   *
   * @param roots those of this host
   */
  FetchedPages(Peers roots, long pages) {
    long bytes = ((pages + Long.SIZE - 1) / Long.SIZE + 1) * Long.BYTES;
    if (roots.size() == 1) {
      bits = Arena.ofAuto().allocate(bytes, Long.BYTES);
      return;
    }
    byte[] name = new byte[NAME_BYTES];
    Path file = null;
    if (roots.rank() == 0) {
      file = SharedMemoryFile.create(bytes, SharedMemoryFile.folders());
      byte[] text = file.toString().getBytes(StandardCharsets.UTF_8);
      System.arraycopy(text, 0, name, 0, text.length);
    }
    roots.broadcast(name, 0);
    Path shared = Path.of(new String(name, StandardCharsets.UTF_8).replace("\0", ""));
    bits = SharedMemoryFile.map(shared, Arena.ofAuto());
    roots.barrier();
    if (file != null) {
      SharedMemoryFile.unlink(file);
    }
  }

  private static long word(long page) {
    return page / Long.SIZE * Long.BYTES;
  }

  void add(long page) {
    long _ = (long) WORD.getAndBitwiseOr(bits, word(page), 1L << page);
  }

  boolean has(long page) {
    return ((long) WORD.getVolatile(bits, word(page)) & 1L << page) != 0;
  }
}
