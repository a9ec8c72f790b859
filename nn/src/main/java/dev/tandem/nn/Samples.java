package dev.tandem.nn;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The samples of one batch, in native memory that is only read.
 *
 * <p>A part of a network that does not take the network's input, or has no outputs, reads none of
 * these: they may be empty.
 *
 * @param inputs one sample after the other, each channel by channel and line by line, elements of
 *     the network's type; of a part of a network those that {@link NetworkPart#inputSamples} names.
 *     At an address that is a multiple of 64 the engine takes the same path every time.
 * @param targets what {@link Loss.Target} says, one after the other
 * @param second further targets for training, if inputs are mixtures of samples
 */
public record Samples(
    MemorySegment inputs, MemorySegment targets, int count, Optional<Second> second) {

  /**
   * Second targets: the loss is {@code 1 - weight} of that by the first and {@code weight} of that
   * by these.
   *
   * @param targets as those of the samples
   * @param weight 0 to 1
   */
  public record Second(MemorySegment targets, double weight) {}

  /** Samples with one target each. */
  public Samples(MemorySegment inputs, MemorySegment targets, int count) {
    this(inputs, targets, count, Optional.empty());
  }

  public Samples {
    if (count < 1) {
      throw new IllegalArgumentException("a batch has at least 1 sample, not " + count);
    }
  }
}
