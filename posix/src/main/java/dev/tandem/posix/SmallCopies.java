package dev.tandem.posix;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;

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

  /** Copies all of the sources to the target, one behind the other, none of which may overlap. */
  public static void gather(List<MemorySegment> sources, MemorySegment target) {
    boolean quick = raw(target);
    long place = target.address();
    long at = 0;
    try {
      for (int i = 0; i < sources.size(); i++) {
        MemorySegment source = sources.get(i);
        long bytes = source.byteSize();
        if (quick && raw(source) && bytes <= target.byteSize() - at) {
          MemorySegment.copy(MEMORY, source.address(), MEMORY, place + at, bytes);
        } else {
          MemorySegment.copy(source, 0, target, at, bytes);
        }
        at += bytes;
      }
    } finally {
      Reference.reachabilityFence(sources);
      Reference.reachabilityFence(target);
    }
  }

  /** Copies the source to all of the targets, one behind the other, none of which may overlap. */
  public static void scatter(MemorySegment source, List<MemorySegment> targets) {
    boolean quick = raw(source);
    long place = source.address();
    long at = 0;
    try {
      for (int i = 0; i < targets.size(); i++) {
        MemorySegment target = targets.get(i);
        long bytes = target.byteSize();
        if (quick && raw(target) && bytes <= source.byteSize() - at) {
          MemorySegment.copy(MEMORY, place + at, MEMORY, target.address(), bytes);
        } else {
          MemorySegment.copy(source, at, target, 0, bytes);
        }
        at += bytes;
      }
    } finally {
      Reference.reachabilityFence(source);
      Reference.reachabilityFence(targets);
    }
  }

  /** Heap memory, dead memory and memory to be read only are left to the careful copy. */
  private static boolean raw(MemorySegment segment) {
    return segment.isNative() && !segment.isReadOnly() && segment.scope().isAlive();
  }
}
