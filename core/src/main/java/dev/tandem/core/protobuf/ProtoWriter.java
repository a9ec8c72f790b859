package dev.tandem.core.protobuf;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts one protocol buffer message together, as a list of byte ranges: those given as segments
 * (weights, pixels) are borrowed, not copied. The reverse of {@link ProtoReader}. One thread.
 */
public final class ProtoWriter {

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  private final List<MemorySegment> parts = new ArrayList<>();
  private final ByteArrayOutputStream last = new ByteArrayOutputStream();
  private long size;

  public ProtoWriter varint(int field, long value) {
    tag(field, VARINT);
    putVarint(value);
    return this;
  }

  public ProtoWriter float32(int field, float value) {
    tag(field, FIXED32);
    return fixed(Float.floatToRawIntBits(value), Integer.SIZE);
  }

  public ProtoWriter float64(int field, double value) {
    tag(field, FIXED64);
    return fixed(Double.doubleToRawLongBits(value), Long.SIZE);
  }

  public ProtoWriter text(int field, String value) {
    return bytes(field, MemorySegment.ofArray(value.getBytes(StandardCharsets.UTF_8)));
  }

  public ProtoWriter bytes(int field, MemorySegment value) {
    tag(field, BYTES);
    putVarint(value.byteSize());
    add(value);
    return this;
  }

  public ProtoWriter message(int field, ProtoWriter value) {
    tag(field, BYTES);
    putVarint(value.size);
    value.parts().forEach(this::add);
    return this;
  }

  /** All bytes so far; the writer must not be used afterwards. */
  public List<MemorySegment> parts() {
    flush();
    return parts;
  }

  /** A copy of all bytes; the writer must not be used afterwards. */
  public byte[] toByteArray() {
    byte[] message = new byte[Math.toIntExact(size)];
    int at = 0;
    for (MemorySegment part : parts()) {
      int length = (int) part.byteSize();
      MemorySegment.copy(part, ValueLayout.JAVA_BYTE, 0, message, at, length);
      at += length;
    }
    return message;
  }

  /** Bytes of the message. */
  public long size() {
    return size;
  }

  private void tag(int field, int wireType) {
    putVarint(((long) field << 3) | wireType);
  }

  private ProtoWriter fixed(long bits, int length) {
    for (int shift = 0; shift < length; shift += 8) {
      put((int) (bits >>> shift));
    }
    return this;
  }

  private void putVarint(long value) {
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
