package dev.tandem.data.read.mode;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Which pages of the file the roots of this host have touched in advance: one bit a page, in memory
 * that they share, as they share the page cache.
 */
final class FetchedPages {

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment bits;

  /**
   * All roots of the host call it together.
   *
   * @param roots those of this host
   */
  FetchedPages(Peers roots, long pages) {
    long bytes = ((pages + Long.SIZE - 1) / Long.SIZE + 1) * Long.BYTES;
    bits = GroupMemory.map(roots, bytes, 0);
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
