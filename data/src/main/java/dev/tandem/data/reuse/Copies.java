package dev.tandem.data.reuse;

import dev.tandem.data.DataRecord;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Copies on the garbage collector's heap, which live as long as they are referenced. */
final class Copies {

  private Copies() {}

  static MemorySegment of(MemorySegment segment) {
    return MemorySegment.ofArray(segment.toArray(ValueLayout.JAVA_BYTE));
  }

  static DataRecord of(DataRecord record) {
    return new DataRecord(of(record.key()), of(record.value()));
  }
}
