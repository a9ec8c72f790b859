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
   * @param source often what another core has written
   * @param bytes a whole number of elements, at most {@link Integer#MAX_VALUE}
   */
  void add(MemorySegment target, MemorySegment source, int bytes);

  /** Divides every element in place. */
  void divide(MemorySegment data, int bytes, int divisor);
}
