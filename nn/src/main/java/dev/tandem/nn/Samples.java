package dev.tandem.nn;

import java.lang.foreign.MemorySegment;

/**
 * The samples of one batch, in native memory that is only read.
 *
 * @param inputs one sample after the other, each channel by channel and line by line, elements of
 *     the network's type. At an address that is a multiple of 64 the engine takes the same path
 *     every time.
 * @param targets what {@link Loss.Target} says, one after the other
 */
public record Samples(MemorySegment inputs, MemorySegment targets, int count) {

  public Samples {
    if (count < 1) {
      throw new IllegalArgumentException("a batch has at least 1 sample, not " + count);
    }
  }
}
