package dev.tandem.data.order;

import dev.tandem.core.Seed;

/**
 * The global order of samples over all epochs: sample {@code n} of a run is place {@code n % size}
 * of epoch {@code n / size}. It depends on the seed, the size and the kind of shuffling alone, so
 * it is the same for any number of ranks and threads, and any place is found in constant time.
 * Immutable.
 *
 * @param seed the run's seed
 * @param size records of the source, which is the samples of an epoch
 */
public record SampleOrder(Seed seed, long size, Shuffle shuffle) {

  public SampleOrder {
    if (size <= 0) {
      throw new IllegalArgumentException("an order needs at least one sample, not " + size);
    }
  }

  /** The order of one epoch; keep it while working in that epoch. */
  public EpochOrder epoch(long epoch) {
    Seed own = seed.derive("sample order").derive(epoch);
    return switch (shuffle) {
      case Shuffle.None none ->
          place -> {
            if (place < 0 || place >= size) {
              throw new IndexOutOfBoundsException("place " + place + " of " + size);
            }
            return place;
          };
      case Shuffle.ByIndex byIndex -> new Permutation(own, size)::at;
      case Shuffle.ByWindow byWindow -> new WindowOrder(own, size, byWindow);
    };
  }

  /** The epoch of a sample of the run. */
  public long epochOf(long sample) {
    return sample / size;
  }

  /** The place of a sample of the run within its epoch. */
  public long placeOf(long sample) {
    return sample % size;
  }
}
