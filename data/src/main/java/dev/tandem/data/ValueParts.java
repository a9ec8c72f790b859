package dev.tandem.data;

import dev.tandem.core.Ranges;
import java.lang.foreign.MemorySegment;

/** Some of the bytes of values. */
public final class ValueParts {

  private ValueParts() {}

  /** The record with a copy of these bytes of its value; an empty one if it has another length. */
  public static DataRecord of(DataRecord record, Ranges parts) {
    MemorySegment value = record.value();
    if (value.byteSize() != parts.whole()) {
      return new DataRecord(record::key, MemorySegment.ofArray(new byte[0]));
    }
    MemorySegment copy = MemorySegment.ofArray(new byte[Math.toIntExact(parts.extent())]);
    for (Ranges.Run run : parts.runs()) {
      MemorySegment.copy(value, run.from(), copy, run.at(), run.length());
    }
    return new DataRecord(record::key, copy);
  }
}
