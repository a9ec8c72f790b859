package dev.tandem.data.order;

import dev.tandem.core.Seed;

/** One epoch under {@link Shuffle.ByWindow}. Thread-safe. */
final class WindowOrder implements EpochOrder {

  private final Seed seed;
  private final long size;
  private final long window;
  private final long block;
  private final Permutation blocks;

  /** The last block may be smaller; this is where the permutation puts it, as a place. */
  private final long shortFrom;

  private final long shortSize;

  /** The window used last; any thread may replace it, the content depends on the number alone. */
  private volatile Window recent;

  private record Window(long number, Permutation places) {}

  WindowOrder(Seed seed, long size, Shuffle.ByWindow shuffle) {
    this.seed = seed.derive("windows");
    this.size = size;
    this.window = Math.min(shuffle.window(), size);
    this.block = Math.min(shuffle.block(), size);
    long count = (size + block - 1) / block;
    this.blocks = new Permutation(seed.derive("blocks"), count);
    this.shortSize = size % block;
    this.shortFrom = shortSize == 0 ? size : blocks.placeOf(count - 1) * block;
    this.recent = window(0);
  }

  @Override
  public long ordinal(long place) {
    if (place < 0 || place >= size) {
      throw new IndexOutOfBoundsException("place " + place + " of " + size);
    }
    long number = place / window;
    Window current = recent;
    if (current.number != number) {
      current = window(number);
      recent = current;
    }
    return inBlocks(number * window + current.places.at(place % window));
  }

  private Window window(long number) {
    long length = Math.min(window, size - number * window);
    return new Window(number, new Permutation(seed.derive(number), length));
  }

  /** The ordinal at this place of the permuted blocks. */
  private long inBlocks(long place) {
    long slot;
    long within;
    if (place < shortFrom) {
      slot = place / block;
      within = place % block;
    } else if (place < shortFrom + shortSize) {
      slot = shortFrom / block;
      within = place - shortFrom;
    } else {
      slot = (place - shortSize) / block + 1;
      within = (place - shortSize) % block;
    }
    return blocks.at(slot) * block + within;
  }
}
