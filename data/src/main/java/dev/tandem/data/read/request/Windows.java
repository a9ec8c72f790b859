package dev.tandem.data.read.request;

import java.util.Arrays;

/**
 * The parts of a file that some records need: sorted, merged where they touch or where the gap is
 * cheaper to read than to skip, and laid out one after the other in memory. Never assumes that
 * records follow each other in the file. For one thread; reused.
 */
public final class Windows {

  /** A range is a block number and a count in one number, so that sorting needs no objects. */
  private static final int COUNT_BITS = 22;

  private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

  private final int shift;
  private final int gapBlocks;
  private long[] ranges = new long[1024];
  private int added;
  private boolean sorted;

  private long[] starts = new long[256];
  private long[] ends = new long[256];
  private int[] places = new int[256];
  private int count;
  private int hint;

  /**
   * @param block bytes to which windows are aligned, a power of two
   * @param gap bytes that it is cheaper to read along than to skip
   */
  public Windows(int block, int gap) {
    this.shift = Integer.numberOfTrailingZeros(block);
    this.gapBlocks = gap >>> shift;
  }

  public void clear() {
    added = 0;
    sorted = true;
    count = 0;
  }

  /** The aligned byte of the file from which this one is read. */
  public long start(long position) {
    return position >>> shift << shift;
  }

  /** The aligned byte of the file up to which these bytes are read. */
  public long end(long position, long length) {
    return (lastBlock(position, length) + 1) << shift;
  }

  private long lastBlock(long position, long length) {
    return (position + Math.max(1, length) - 1) >>> shift;
  }

  /** These bytes are needed. */
  public void add(long position, long length) {
    long first = position >>> shift;
    long blocks = lastBlock(position, length) - first + 1;
    if (added == ranges.length) {
      ranges = Arrays.copyOf(ranges, added * 2);
    }
    long range = (first << COUNT_BITS) | blocks;
    sorted &= added == 0 || ranges[added - 1] <= range;
    ranges[added++] = range;
  }

  /**
   * Merges what was added.
   *
   * @param memoryAt where in memory the first window goes
   * @param spare bytes that may be spent on gaps
   * @return where in memory the last window ends
   */
  public int merge(int memoryAt, long spare) {
    if (!sorted) {
      Arrays.sort(ranges, 0, added);
    }
    long spareBlocks = spare >>> shift;
    int at = memoryAt;
    long start = -1;
    long end = -1;
    for (int i = 0; i < added; i++) {
      long first = ranges[i] >>> COUNT_BITS;
      long after = first + (ranges[i] & COUNT_MASK);
      long gap = Math.max(0, first - end);
      if (start >= 0 && gap <= gapBlocks && gap <= spareBlocks) {
        spareBlocks -= gap;
        end = Math.max(end, after);
      } else {
        if (start >= 0) {
          at = window(start, end, at);
        }
        start = first;
        end = after;
      }
    }
    if (start >= 0) {
      at = window(start, end, at);
    }
    hint = 0;
    return at;
  }

  private int window(long start, long end, int at) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
      ends = Arrays.copyOf(ends, count * 2);
      places = Arrays.copyOf(places, count * 2);
    }
    starts[count] = start << shift;
    ends[count] = end << shift;
    places[count++] = at;
    return Math.addExact(at, Math.toIntExact((end - start) << shift));
  }

  /** Number of windows. */
  public int count() {
    return count;
  }

  /** Byte of the file where a window begins. */
  public long windowStart(int window) {
    return starts[window];
  }

  public int length(int window) {
    return (int) (ends[window] - starts[window]);
  }

  /** Where in memory a window lies. */
  public int place(int window) {
    return places[window];
  }

  /** Where in memory a byte of the file lies that was added. */
  public int memoryAt(long position) {
    if (position < starts[hint] || position >= ends[hint]) {
      hint = find(position);
    }
    return places[hint] + (int) (position - starts[hint]);
  }

  private int find(long position) {
    int found = Arrays.binarySearch(starts, 0, count, position);
    return found >= 0 ? found : -found - 2;
  }
}
