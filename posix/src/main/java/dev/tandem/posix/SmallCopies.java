package dev.tandem.posix;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;

/**
 * Copies of a few cache lines between several tensors and one buffer, for paths where {@link
 * MemorySegment#copy} takes longer to find out what its segments are than to copy. What the tensors
 * are is asked once, before they are copied out and in; then native memory is copied as parts of
 * one segment, all memory, whose kind and life the compiler knows. Whether memory is still alive is
 * asked before each copying, not during it, so its owner must not close it meanwhile from another
 * thread, as with any native call.
 *
 * <p>Used again and again, by one thread at a time.
 */
public final class SmallCopies {

  @SuppressWarnings("restricted") // only what is inside of a living segment is touched
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private List<MemorySegment> tensors = List.of();
  private long bytes;

  /** Whether all tensors are native memory that may be written. */
  private boolean raw;

  private long[] addresses = new long[0];
  private long[] lengths = new long[0];

  /** On which the tensors' lives depend; neighbours often share theirs, then it is here once. */
  private MemorySegment.Scope[] scopes = new MemorySegment.Scope[0];

  private int scopeCount;

  /** Takes these tensors, which do not overlap, until {@link #forget}. */
  public void take(List<MemorySegment> these) {
    int count = these.size();
    if (addresses.length < count) {
      addresses = new long[count];
      lengths = new long[count];
      scopes = new MemorySegment.Scope[count];
    }
    tensors = these;
    bytes = 0;
    raw = true;
    scopeCount = 0;
    MemorySegment.Scope last = null;
    for (int i = 0; i < count; i++) {
      MemorySegment tensor = these.get(i);
      raw &= tensor.isNative() && !tensor.isReadOnly();
      addresses[i] = tensor.address();
      lengths[i] = tensor.byteSize();
      bytes += lengths[i];
      MemorySegment.Scope scope = tensor.scope();
      if (!scope.equals(last)) {
        scopes[scopeCount++] = scope;
        last = scope;
      }
    }
  }

  /** Of all tensors together. */
  public long bytes() {
    return bytes;
  }

  /** Copies all tensors to the target, one behind the other. */
  public void gather(MemorySegment target) {
    if (!quick(target)) {
      long at = 0;
      for (MemorySegment tensor : tensors) {
        MemorySegment.copy(tensor, 0, target, at, tensor.byteSize());
        at += tensor.byteSize();
      }
      return;
    }
    try {
      long place = target.address();
      for (int i = 0; i < tensors.size(); i++) {
        MemorySegment.copy(MEMORY, addresses[i], MEMORY, place, lengths[i]);
        place += lengths[i];
      }
    } finally {
      Reference.reachabilityFence(tensors);
      Reference.reachabilityFence(target);
    }
  }

  /** Copies the source to all tensors, one behind the other. */
  public void scatter(MemorySegment source) {
    if (!quick(source)) {
      long at = 0;
      for (MemorySegment tensor : tensors) {
        MemorySegment.copy(source, at, tensor, 0, tensor.byteSize());
        at += tensor.byteSize();
      }
      return;
    }
    try {
      long place = source.address();
      for (int i = 0; i < tensors.size(); i++) {
        MemorySegment.copy(MEMORY, place, MEMORY, addresses[i], lengths[i]);
        place += lengths[i];
      }
    } finally {
      Reference.reachabilityFence(tensors);
      Reference.reachabilityFence(source);
    }
  }

  /** Holds on to the tensors no longer. */
  public void forget() {
    tensors = List.of();
    bytes = 0;
    for (int i = 0; i < scopeCount; i++) {
      scopes[i] = null;
    }
    scopeCount = 0;
  }

  /** Heap memory, dead memory and memory to be read only are left to the careful copy. */
  private boolean quick(MemorySegment buffer) {
    boolean all =
        raw
            && buffer.isNative()
            && !buffer.isReadOnly()
            && buffer.byteSize() >= bytes
            && buffer.scope().isAlive();
    for (int i = 0; i < scopeCount; i++) {
      all &= scopes[i].isAlive();
    }
    return all;
  }
}
