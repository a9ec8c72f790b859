package dev.tandem.data.importing;

import java.lang.foreign.MemorySegment;

/** Takes records one by one. Both segments are lent: they may change once {@code put} returned. */
@FunctionalInterface
public interface RecordSink {

  void put(MemorySegment key, MemorySegment value);
}
