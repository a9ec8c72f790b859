package dev.tandem.lmdb.index;

import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.PageView;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Keys that count, as those of Caffe's tools for CIFAR and MNIST: the key of each record is a
 * decimal number of a fixed width with leading zeros, one more than that of the record before. Who
 * reads records in any order needs no leaf for such keys.
 *
 * @param width digits of each key
 * @param first the number that is the first record's key
 */
public record NumberedKeys(int width, long first) {

  /** Numbers of more digits do not fit a long. */
  static final int MOST_DIGITS = 18;

  private static final int BASE = 10;

  public NumberedKeys {
    if (width < 1 || width > MOST_DIGITS || first < 0) {
      throw new IllegalArgumentException(
          "keys cannot count from " + first + " in " + width + " digits");
    }
  }

  /** Writes the key of a record. */
  public void put(long ordinal, ByteBuffer memory, int at) {
    long left = first + ordinal;
    for (int i = at + width - 1; i >= at; i--) {
      long rest = left / BASE;
      memory.put(i, (byte) ('0' + (left - rest * BASE)));
      left = rest;
    }
  }

  /** Whether a record has this key. */
  boolean same(long ordinal, MemorySegment key) {
    ByteBuffer expected = ByteBuffer.allocate(width);
    put(ordinal, expected, 0);
    return key.mismatch(MemorySegment.ofBuffer(expected)) < 0;
  }

  /** The number that these digits are, or -1 if not all are digits. */
  static long number(byte[] bytes, int at, int width) {
    long number = 0;
    for (int i = at; i < at + width; i++) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit >= BASE) {
        return -1;
      }
      number = number * BASE + digit;
    }
    return number;
  }

  /**
   * The number that the first key of a leaf is if the others count up from it, each with as many
   * digits; or -1. Within ten numbers that differ in their last digit alone, only the first and the
   * last are looked at: keys are in the order of their bytes, so between them there is room for
   * just the others.
   *
   * @param leaf whose offsets were checked, in a buffer with an array
   */
  static long firstOf(PageView leaf) {
    if (leaf.count() == 0) {
      return -1;
    }
    byte[] b = leaf.buffer().array();
    int at = leaf.at();
    int slots = at + PageFormat.PAGE_HEADER;
    int width = width(b, node(b, at, slots));
    if (width == 0 || width > MOST_DIGITS) {
      return -1;
    }
    long first = number(b, node(b, at, slots) + PageFormat.NODE_HEADER, width);
    if (first < 0) {
      return -1;
    }
    int digit = (int) (first % BASE);
    int last = leaf.count() - 1;
    for (int i = 0; i <= last; i++) {
      int node = node(b, at, slots + 2 * i);
      if (width(b, node) != width) {
        return -1;
      }
      if ((digit == 0 || digit == BASE - 1 || i == last)
          && number(b, node + PageFormat.NODE_HEADER, width) != first + i) {
        return -1;
      }
      digit = digit == BASE - 1 ? 0 : digit + 1;
    }
    return first;
  }

  /** Bytes of the first key of a leaf. */
  static int widthOf(PageView leaf) {
    byte[] b = leaf.buffer().array();
    return width(b, node(b, leaf.at(), leaf.at() + PageFormat.PAGE_HEADER));
  }

  private static int node(byte[] b, int at, int slot) {
    return at + ((b[slot] & 0xFF) | (b[slot + 1] & 0xFF) << 8);
  }

  private static int width(byte[] b, int node) {
    return (b[node + 6] & 0xFF) | (b[node + 7] & 0xFF) << 8;
  }
}
