package dev.tandem.comm.collective;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Several tensors seen as one run of bytes. */
final class Parts {

  private final MemorySegment[] tensors;
  // Where each begins, and where the last ends.
  private final long[] starts;

  private Parts(MemorySegment[] tensors) {
    this.tensors = tensors;
    this.starts = new long[tensors.length + 1];
    for (int i = 0; i < tensors.length; i++) {
      starts[i + 1] = starts[i] + tensors[i].byteSize();
    }
  }

  static Parts of(MemorySegment data) {
    return new Parts(new MemorySegment[] {data});
  }

  static Parts of(List<MemorySegment> tensors) {
    return new Parts(tensors.toArray(MemorySegment[]::new));
  }

  long bytes() {
    return starts[tensors.length];
  }

  /** What to do with a stretch that lies within one tensor. */
  interface Stretch {

    /**
     * Takes one.
     *
     * @param at where the stretch begins in the tensor
     * @param distance from the beginning of the range that is walked
     */
    void take(MemorySegment tensor, long at, long distance, long bytes);
  }

  /** Walks over a range, stretch by stretch. */
  void walk(long from, long bytes, Stretch stretch) {
    long end = from + bytes;
    for (int i = holder(from); i < tensors.length && starts[i] < end; i++) {
      long start = Math.max(from, starts[i]);
      long stop = Math.min(end, starts[i + 1]);
      if (stop > start) {
        stretch.take(tensors[i], start - starts[i], start - from, stop - start);
      }
    }
  }

  /** Copies a range out. */
  void copyTo(long from, long bytes, MemorySegment target, long targetOffset) {
    walk(
        from,
        bytes,
        (tensor, at, distance, length) ->
            MemorySegment.copy(tensor, at, target, targetOffset + distance, length));
  }

  /** Copies a range in. */
  void copyFrom(MemorySegment source, long sourceOffset, long from, long bytes) {
    walk(
        from,
        bytes,
        (tensor, at, distance, length) ->
            MemorySegment.copy(source, sourceOffset + distance, tensor, at, length));
  }

  /** The last tensor that begins at or before a place. */
  private int holder(long place) {
    int low = 0;
    int high = tensors.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (starts[middle] <= place) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
