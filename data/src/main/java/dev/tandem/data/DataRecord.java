package dev.tandem.data;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/** One key and value of a source, borrowed: valid until the source is closed. */
public final class DataRecord {

  private final Supplier<MemorySegment> key;
  private final MemorySegment value;

  /** A record whose key is known. */
  public DataRecord(MemorySegment key, MemorySegment value) {
    this(() -> key, value);
  }

  /**
   * A record whose key is looked up when it is asked for: few records' keys ever are.
   *
   * @param key may be called by any thread, any number of times
   */
  public DataRecord(Supplier<MemorySegment> key, MemorySegment value) {
    this.key = key;
    this.value = value;
  }

  public MemorySegment key() {
    return key.get();
  }

  public MemorySegment value() {
    return value;
  }
}
