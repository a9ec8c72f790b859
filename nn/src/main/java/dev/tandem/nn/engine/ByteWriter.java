package dev.tandem.nn.engine;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** Writes tables in the forms that DWARF defines, one value after the other. */
final class ByteWriter {

  private final MemorySegment memory;
  private long at;

  ByteWriter(MemorySegment memory, long at) {
    this.memory = memory;
    this.at = at;
  }

  long at() {
    return at;
  }

  void u8(int value) {
    memory.set(JAVA_BYTE, at++, (byte) value);
  }

  void u32(int value) {
    memory.set(JAVA_INT_UNALIGNED, at, value);
    at += Integer.BYTES;
  }

  void u64(long value) {
    memory.set(JAVA_LONG_UNALIGNED, at, value);
    at += Long.BYTES;
  }

  /** A number of variable length (ULEB128): seven bits in a byte, the lowest first. */
  void number(long value) {
    long rest = value;
    while (rest > 0x7f) {
      u8((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    u8((int) rest);
  }

  void text(String text) {
    for (byte each : text.getBytes(StandardCharsets.US_ASCII)) {
      u8(each);
    }
    u8(0);
  }

  void copy(ByteWriter other) {
    MemorySegment.copy(other.memory, 0, memory, at, other.at);
    at += other.at;
  }

  /** Fills an entry up to a multiple of eight bytes and writes its length at its start. */
  void endEntry(long start) {
    while ((at - start) % Long.BYTES != 0) {
      u8(0);
    }
    memory.set(JAVA_INT_UNALIGNED, start, (int) (at - start - Integer.BYTES));
  }
}
