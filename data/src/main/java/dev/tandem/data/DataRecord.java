package dev.tandem.data;

import java.lang.foreign.MemorySegment;

/** One key and value of a source, borrowed: valid until the source is closed. */
public record DataRecord(MemorySegment key, MemorySegment value) {}
