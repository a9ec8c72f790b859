package dev.tandem.comm.collective;

/** Small arithmetic of rounds. */
final class Rounds {

  private Rounds() {}

  /** The least k with 2^k >= n. */
  static int log2Ceiling(int n) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(n - 1);
  }

  /** How many pieces of at most {@code limit} a length makes; none for 0. */
  static long pieces(long length, long limit) {
    return (length + limit - 1) / limit;
  }
}
