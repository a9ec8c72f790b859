package dev.tandem.lmdb.index;

import java.util.Arrays;

/**
 * Numbers of as many bytes as they need, seven bits a byte; signed ones in zigzag. Written at the
 * end, read from a position that moves. For one thread.
 */
final class Varints {

  private static final int MAX_BYTES = 10;

  private byte[] bytes;
  private int size;
  private int position;

  Varints() {
    this.bytes = new byte[256];
  }

  /** Numbers to read. */
  Varints(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.position = from;
    this.size = to;
  }

  int size() {
    return size;
  }

  byte[] bytes() {
    return bytes;
  }

  void add(long value) {
    if (size + MAX_BYTES > bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length);
    }
    long left = value;
    while ((left & ~0x7FL) != 0) {
      bytes[size++] = (byte) (left | 0x80);
      left >>>= 7;
    }
    bytes[size++] = (byte) left;
  }

  void addSigned(long value) {
    add((value << 1) ^ (value >> 63));
  }

  int position() {
    return position;
  }

  void seek(int newPosition) {
    position = newPosition;
  }

  long next() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (position >= size) {
        throw new IllegalArgumentException("the numbers end too early");
      }
      byte b = bytes[position++];
      value |= (b & 0x7FL) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number is too long");
  }

  long nextSigned() {
    long value = next();
    return (value >>> 1) ^ -(value & 1);
  }
}
