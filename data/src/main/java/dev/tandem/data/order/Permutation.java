package dev.tandem.data.order;

import dev.tandem.core.Seed;
import java.util.SplittableRandom;

/**
 * A pseudo-random permutation of {@code 0 .. size-1} that is computed, not stored: any place is
 * found in constant time and memory, so a run resumes anywhere in an epoch without replaying it.
 *
 * <p>A four-round Feistel network over the next even power of two, walked until it falls inside the
 * range (fewer than four rounds of walking on average). Immutable.
 */
public final class Permutation {

  private static final int ROUNDS = 4;

  private final long size;
  private final int halfBits;
  private final long halfMask;
  private final long[] keys = new long[ROUNDS];

  public Permutation(Seed seed, long size) {
    if (size <= 0) {
      throw new IllegalArgumentException("a permutation needs at least one item, not " + size);
    }
    this.size = size;
    int bits = Math.max(2, 64 - Long.numberOfLeadingZeros(size - 1));
    this.halfBits = (bits + 1) / 2;
    this.halfMask = (1L << halfBits) - 1;
    SplittableRandom random = seed.random();
    for (int round = 0; round < ROUNDS; round++) {
      keys[round] = random.nextLong();
    }
  }

  /** What stands at this place. */
  public long at(long place) {
    check(place, "place");
    long value = place;
    do {
      value = encrypt(value);
    } while (value >= size);
    return value;
  }

  /** The place at which this item stands. */
  public long placeOf(long item) {
    check(item, "item");
    long value = item;
    do {
      value = decrypt(value);
    } while (value >= size);
    return value;
  }

  private void check(long value, String what) {
    if (value < 0 || value >= size) {
      throw new IndexOutOfBoundsException(what + " " + value + " of " + size);
    }
  }

  private long encrypt(long value) {
    long left = value >>> halfBits;
    long right = value & halfMask;
    for (long key : keys) {
      long next = left ^ mixed(right, key);
      left = right;
      right = next;
    }
    return (left << halfBits) | right;
  }

  private long decrypt(long value) {
    long left = value >>> halfBits;
    long right = value & halfMask;
    for (int round = ROUNDS - 1; round >= 0; round--) {
      long before = right ^ mixed(left, keys[round]);
      right = left;
      left = before;
    }
    return (left << halfBits) | right;
  }

  private long mixed(long half, long key) {
    long mixed = (half ^ key) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L;
    return (mixed >>> 32) & halfMask;
  }
}
