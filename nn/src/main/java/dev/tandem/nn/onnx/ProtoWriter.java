package dev.tandem.nn.onnx;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts one protobuf message together, as a list of byte ranges: large ones, the weights, are
 * borrowed and never copied. The reverse of {@link ProtoReader}.
 */
final class ProtoWriter {

  private static final int VARINT = 0;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  private final List<MemorySegment> parts = new ArrayList<>();
  private final ByteArrayOutputStream last = new ByteArrayOutputStream();
  private long size;

  void whole(int field, long value) {
    tag(field, VARINT);
    varint(value);
  }

  void number(int field, float value) {
    tag(field, FIXED32);
    int bits = Float.floatToRawIntBits(value);
    for (int shift = 0; shift < Integer.SIZE; shift += 8) {
      put(bits >>> shift);
    }
  }

  void text(int field, String value) {
    bytes(field, MemorySegment.ofArray(value.getBytes(StandardCharsets.UTF_8)));
  }

  void bytes(int field, MemorySegment value) {
    tag(field, BYTES);
    varint(value.byteSize());
    add(value);
  }

  void message(int field, ProtoWriter value) {
    tag(field, BYTES);
    varint(value.size);
    value.parts().forEach(this::add);
  }

  /** All bytes so far; the writer must not be used afterwards. */
  List<MemorySegment> parts() {
    flush();
    return parts;
  }

  /** Bytes of the message. */
  long size() {
    return size;
  }

  private void tag(int field, int wireType) {
    varint(((long) field << 3) | wireType);
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      put((int) ((rest & 0x7F) | 0x80));
      rest >>>= 7;
    }
    put((int) rest);
  }

  private void put(int value) {
    last.write(value);
    size++;
  }

  private void add(MemorySegment part) {
    flush();
    parts.add(part);
    size += part.byteSize();
  }

  private void flush() {
    if (last.size() > 0) {
      parts.add(MemorySegment.ofArray(last.toByteArray()));
      last.reset();
    }
  }
}
