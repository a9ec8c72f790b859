package dev.tandem.data.share;

/** The state of a place of the ring in one word: which chunk is there, made or not, and by whom. */
final class ChunkWord {

  private static final int CLAIMED = 1;
  private static final int MADE = 2;
  private static final int PHASE_SHIFT = 16;
  private static final int CHUNK_SHIFT = 24;

  private ChunkWord() {}

  /** A chunk that is being made. */
  static long claim(long chunk, int signature) {
    return word(chunk, CLAIMED, signature);
  }

  /** A chunk that is there. */
  static long made(long chunk, int signature) {
    return word(chunk, MADE, signature);
  }

  private static long word(long chunk, int phase, int signature) {
    return (chunk + 1) << CHUNK_SHIFT | (long) phase << PHASE_SHIFT | signature;
  }

  /** Which chunk it is; -1 before the first. */
  static long chunk(long word) {
    return (word >>> CHUNK_SHIFT) - 1;
  }

  static boolean claimed(long word) {
    return phase(word) == CLAIMED;
  }

  static boolean made(long word) {
    return phase(word) == MADE;
  }

  private static int phase(long word) {
    return (int) (word >>> PHASE_SHIFT) & 0xFF;
  }

  /** The signature of its maker. */
  static int maker(long word) {
    return (int) word & 0xFFFF;
  }
}
