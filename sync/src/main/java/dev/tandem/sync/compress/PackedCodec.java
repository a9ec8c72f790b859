package dev.tandem.sync.compress;

import java.lang.foreign.MemorySegment;

/**
 * Writes a tensor in a form that cannot be summed: ranks gather those of all and sum what they
 * read, in rank order. For one thread: it owns the blocks it works in.
 */
sealed interface PackedCodec permits TopKCodec, OneBitCodec {

  /**
   * The payloads of all ranks for one tensor.
   *
   * @param all those of rank 0 for all tensors, then those of rank 1...
   * @param offset of this tensor's after the beginning of a rank's
   * @param stride from one rank's to the next one's
   */
  record Gathered(MemorySegment all, long offset, long stride, int ranks) {

    /** Where this tensor's payload of a rank begins. */
    long begin(int rank) {
      return rank * stride + offset;
    }
  }

  /**
   * Writes values and what the last transfer left behind, and leaves behind what is not written.
   *
   * @param payload as long as {@link Compression#payloadBytes} says
   */
  void encode(MemorySegment values, Residuals.Turn turn, MemorySegment payload);

  /** Sums what all ranks have written, in rank order. */
  void sum(Gathered payloads, MemorySegment target);
}
