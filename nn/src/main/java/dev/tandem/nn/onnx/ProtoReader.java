package dev.tandem.nn.onnx;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;

/**
 * The fields of one protobuf message, one after the other, in the encoding that
 * protobuf.dev/programming-guides/encoding describes. Bytes are borrowed slices of the file;
 * whatever does not fit into the message is damage, whatever length it claims to have.
 *
 * <p>The encoding is small, and the library for it goes through {@code sun.misc.Unsafe}, which the
 * JVM warns of: so it is read here.
 */
final class ProtoReader {

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment message;
  private long at;
  private int field;
  private int wireType;

  ProtoReader(MemorySegment message) {
    this.message = message;
  }

  /** Goes to the next field, whose value must then be read or skipped; false at the end. */
  boolean next() {
    if (at == message.byteSize()) {
      return false;
    }
    long tag = varint();
    wireType = (int) (tag & 7);
    if (tag >>> 3 == 0 || tag >>> 3 > Integer.MAX_VALUE) {
      throw damaged();
    }
    field = (int) (tag >>> 3);
    return true;
  }

  int field() {
    return field;
  }

  long whole() {
    require(VARINT);
    return varint();
  }

  float number() {
    require(FIXED32);
    return Float.intBitsToFloat(take(Integer.BYTES).get(INT, 0));
  }

  MemorySegment bytes() {
    require(BYTES);
    return take(varint());
  }

  String text() {
    return new String(bytes().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
  }

  ProtoReader message() {
    return new ProtoReader(bytes());
  }

  /** The integers of a repeated field, which stand one by one or packed. */
  void wholes(LongConsumer each) {
    if (wireType == VARINT) {
      each.accept(varint());
      return;
    }
    ProtoReader packed = message();
    while (packed.at < packed.message.byteSize()) {
      each.accept(packed.varint());
    }
  }

  /** The bytes of numbers of a fixed size in a repeated field, one by one or packed. */
  MemorySegment fixed() {
    return switch (wireType) {
      case FIXED32 -> take(Integer.BYTES);
      case FIXED64 -> take(Long.BYTES);
      default -> bytes();
    };
  }

  void skip() {
    switch (wireType) {
      case VARINT -> varint();
      case FIXED64 -> take(Long.BYTES);
      case BYTES -> bytes();
      case FIXED32 -> take(Integer.BYTES);
      default -> throw damaged();
    }
  }

  static WorkFailedException damaged() {
    return new WorkFailedException("it is damaged, or no ONNX file");
  }

  private void require(int expected) {
    if (wireType != expected) {
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

  private long varint() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      if (at == message.byteSize()) {
        throw damaged();
      }
      byte part = message.get(ValueLayout.JAVA_BYTE, at++);
      value |= (part & 0x7FL) << shift;
      if (part >= 0) {
        return value;
      }
    }
    throw damaged();
  }
}
