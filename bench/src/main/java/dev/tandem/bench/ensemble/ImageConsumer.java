package dev.tandem.bench.ensemble;

import dev.tandem.core.UsageException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What a member does with images: it waits as if an accelerator computed, in the thesis' proportion
 * of the rate at which images are consumed to that at which one process prepares them, or trains.
 */
public enum ImageConsumer {
  /** As AlexNet: faster than images can be prepared. */
  FAST(1.35),
  /** As Inception. */
  MEDIUM(0.31),
  /** As VGG. */
  SLOW(0.14),
  /** A small network on the processor. */
  TRAIN(0);

  private final double share;

  ImageConsumer(double share) {
    this.share = share;
  }

  /** The word for it in results: the proportion, or {@code train}. */
  public String code() {
    return this == TRAIN ? "train" : String.format(Locale.ROOT, "%.2f", share);
  }

  /** The rate of consumption over that of preparation; 0 if it trains. */
  double share() {
    return share;
  }

  /** The consumer of a word. */
  public static ImageConsumer of(String code) {
    return Arrays.stream(values())
        .filter(consumer -> consumer.code().equals(code))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "--consumers: unknown '%s', expected %s"
                        .formatted(
                            code,
                            Arrays.stream(values())
                                .map(ImageConsumer::code)
                                .collect(Collectors.joining(", ")))));
  }
}
