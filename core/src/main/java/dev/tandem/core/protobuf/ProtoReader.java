package dev.tandem.core.protobuf;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;

/**
 * The fields of one protocol buffer message, one after the other. Bytes are borrowed slices of the
 * message; a length that leaves the message is reported as damage. One thread.
 */
public final class ProtoReader {

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment message;
  private final String kind;
  private long at;
  private int tag;

  /** The value of a varint field, the length of a bytes field: read once, in {@link #next}. */
  private long number;

  /**
   * @param message borrowed
   * @param kind what the message should be, with its article, for errors: "an ONNX file"
   */
  public ProtoReader(MemorySegment message, String kind) {
    this.message = message;
    this.kind = kind;
  }

  /** Goes to the next field, whose value must then be read or skipped; false at the end. */
  public boolean next() {
    if (at == message.byteSize()) {
      return false;
    }
    tag = (int) readVarint();
    if (tag >>> 3 == 0) {
      throw damaged();
    }
    if (wireType() == VARINT || wireType() == BYTES) {
      number = readVarint();
    }
    return true;
  }

  /** The number of the current field. */
  public int field() {
    return tag >>> 3;
  }

  public long varint() {
    require(VARINT);
    return number;
  }

  public float float32() {
    require(FIXED32);
    return Float.intBitsToFloat(take(Integer.BYTES).get(INT, 0));
  }

  /** A slice of the message. */
  public MemorySegment bytes() {
    require(BYTES);
    return take(number);
  }

  public String text() {
    return new String(bytes().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
  }

  public ProtoReader message() {
    return new ProtoReader(bytes(), kind);
  }

  /** The integers of a repeated field, which are stored one by one or packed. */
  public void varints(LongConsumer each) {
    if (wireType() == VARINT) {
      each.accept(number);
      return;
    }
    ProtoReader packed = message();
    while (packed.at < packed.message.byteSize()) {
      each.accept(packed.readVarint());
    }
  }

  /** The bytes of numbers of a fixed size in a repeated field, one by one or packed. */
  public MemorySegment fixed() {
    return switch (wireType()) {
      case FIXED32 -> take(Integer.BYTES);
      case FIXED64 -> take(Long.BYTES);
      default -> bytes();
    };
  }

  public void skip() {
    switch (wireType()) {
      case VARINT -> {}
      case FIXED64 -> take(Long.BYTES);
      case BYTES -> bytes();
      case FIXED32 -> take(Integer.BYTES);
      default -> throw damaged();
    }
  }

  /** The error for content that cannot be right. */
  public WorkFailedException damaged() {
    return new WorkFailedException("damaged, or not " + kind);
  }

  private int wireType() {
    return tag & 7;
  }

  private void require(int expected) {
    if (wireType() != expected) {
      throw damaged();
    }
  }

  private MemorySegment take(long length) {
    if (length < 0 || length > message.byteSize() - at) {
      throw damaged();
    }
    MemorySegment slice = message.asSlice(at, length);
    at += length;
    return slice;
  }

  private long readVarint() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE && at < message.byteSize(); shift += 7) {
      byte part = message.get(ValueLayout.JAVA_BYTE, at++);
      if (part >= 0) {
        return value | ((long) part << shift);
      }
      value |= (part & 0x7FL) << shift;
    }
    throw damaged();
  }
}
