package dev.tandem.lmdb.index;

/**
 * Joins records, or runs of them, into arithmetic runs: equally long values at equal distances, in
 * order. Regular databases become a few runs a leaf. For one thread.
 */
final class Runs {

  /** Takes runs in order. */
  @FunctionalInterface
  interface Sink {
    /**
     * One run.
     *
     * @param offset byte of the file where the first value begins
     * @param stride distance from one value to the next, negative where they go backward
     * @param length length of each value
     */
    void run(long offset, long stride, long length, long count);
  }

  private final Sink sink;
  private long offset;
  private long stride;
  private long length;
  private long count;

  Runs(Sink sink) {
    this.sink = sink;
  }

  void add(long nextOffset, long nextStride, long nextLength, long nextCount) {
    if (count > 0 && nextLength == length) {
      long distance = count == 1 ? nextOffset - offset : stride;
      if (nextOffset == offset + distance * count && (nextCount == 1 || nextStride == distance)) {
        stride = distance;
        count += nextCount;
        return;
      }
    }
    finish();
    offset = nextOffset;
    stride = nextStride;
    length = nextLength;
    count = nextCount;
  }

  /** Hands the last run on. */
  void finish() {
    if (count > 0) {
      sink.run(offset, stride, length, count);
      count = 0;
    }
  }
}
