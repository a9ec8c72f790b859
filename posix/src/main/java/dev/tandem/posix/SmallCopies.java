package dev.tandem.posix;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Copies of a few cache lines between native memories, for paths where {@link MemorySegment#copy}
 * takes longer to find out what its segments are than to copy: it sees one segment, all memory,
 * whose kind and life the compiler knows. Whether a segment is still alive is asked before the
 * copy, not during it, so its owner must not close it meanwhile from another thread, as with any
 * native call.
 */
public final class SmallCopies {

  @SuppressWarnings("restricted") // only what is inside of a living segment is touched
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private SmallCopies() {}

  /** Copies as {@link MemorySegment#copy} does. */
  public static void copy(
      MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
    if (!raw(from) || !raw(to)) {
      MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
      return;
    }
    if (bytes < 0
        || fromOffset < 0
        || toOffset < 0
        || fromOffset > from.byteSize() - bytes
        || toOffset > to.byteSize() - bytes) {
      throw new IndexOutOfBoundsException(
          "%d bytes from %d of %d to %d of %d"
              .formatted(bytes, fromOffset, from.byteSize(), toOffset, to.byteSize()));
    }
    try {
      MemorySegment.copy(
          MEMORY, from.address() + fromOffset, MEMORY, to.address() + toOffset, bytes);
    } finally {
      Reference.reachabilityFence(from);
      Reference.reachabilityFence(to);
    }
  }

  /** Heap memory, dead memory and memory to be read only are left to the careful copy. */
  private static boolean raw(MemorySegment segment) {
    return segment.isNative() && !segment.isReadOnly() && segment.scope().isAlive();
  }
}
