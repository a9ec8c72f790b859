package dev.tandem.core;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * The one number that fixes every random choice of a run. Streams are derived by name and number,
 * so that a choice depends on what it is for and never on which thread or rank makes it.
 */
public record Seed(long value) {

  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  /** A seed for one purpose, independent of those for others. */
  public Seed derive(String purpose) {
    long hash = value;
    for (byte b : purpose.getBytes(StandardCharsets.UTF_8)) {
      hash = mix(hash + GOLDEN_GAMMA + b);
    }
    return new Seed(mix(hash ^ purpose.length()));
  }

  /** A seed for the item with this number: an epoch, a sample, a rank. */
  public Seed derive(long item) {
    return new Seed(mix(mix(value + GOLDEN_GAMMA) ^ (item * GOLDEN_GAMMA + 1)));
  }

  /** A new stream; the same seed always gives the same numbers. */
  public SplittableRandom random() {
    return new SplittableRandom(value);
  }

  /** The stream of {@link #random()} from the number at this place on. */
  public SplittableRandom random(long place) {
    return new SplittableRandom(value + place * GOLDEN_GAMMA);
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
