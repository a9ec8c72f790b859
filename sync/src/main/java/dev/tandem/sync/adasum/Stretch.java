package dev.tandem.sync.adasum;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** A stretch of each of several tensors of float32, halved tensor by tensor. Immutable. */
final class Stretch {

  // In elements: tensor t from begin[t] to before end[t].
  private final long[] begin;
  private final long[] end;

  private Stretch(long[] begin, long[] end) {
    this.begin = begin;
    this.end = end;
  }

  static Stretch whole(List<MemorySegment> tensors) {
    return new Stretch(
        new long[tensors.size()],
        tensors.stream().mapToLong(tensor -> tensor.byteSize() / Float.BYTES).toArray());
  }

  /** One half; together they are the whole, of one element more the upper one. */
  Stretch half(boolean lower) {
    long[] from = begin.clone();
    long[] to = end.clone();
    for (int i = 0; i < from.length; i++) {
      long middle = begin[i] + (end[i] - begin[i]) / 2;
      if (lower) {
        to[i] = middle;
      } else {
        from[i] = middle;
      }
    }
    return new Stretch(from, to);
  }

  /** The stretch of one tensor, borrowed. */
  MemorySegment of(List<MemorySegment> tensors, int tensor) {
    return tensors
        .get(tensor)
        .asSlice(begin[tensor] * Float.BYTES, (end[tensor] - begin[tensor]) * Float.BYTES);
  }

  /** Bytes of all tensors' stretches. */
  long bytes() {
    long elements = 0;
    for (int i = 0; i < begin.length; i++) {
      elements += end[i] - begin[i];
    }
    return elements * Float.BYTES;
  }
}
