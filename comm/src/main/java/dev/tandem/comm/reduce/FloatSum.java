package dev.tandem.comm.reduce;

import java.lang.foreign.MemorySegment;

/**
 * Sums of 32-bit floats, the one reduction that training waits for, straight on native memory.
 * Stateless and thread-safe.
 */
interface FloatSum {

  /**
   * Adds element by element.
   *
   * @param bytes a whole number of elements, at most {@link Integer#MAX_VALUE}
   * @param target may be one of the two
   */
  void add(MemorySegment left, MemorySegment right, MemorySegment target, int bytes);

  /** Adds to the target what another core may have written. */
  void addTo(MemorySegment target, MemorySegment source, int bytes);

  /** As {@link #addTo}, with the source as the first operand. */
  void addBefore(MemorySegment source, MemorySegment target, int bytes);

  /** Divides every element in place. */
  void divide(MemorySegment data, int bytes, int divisor);
}
