package dev.tandem.train.tensorboard;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** A protocol buffer message that is being written, field by field. */
final class Message {

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  Message integer(int field, long value) {
    key(field, VARINT);
    varint(value);
    return this;
  }

  Message float64(int field, double value) {
    key(field, FIXED64);
    bytes.writeBytes(little(Double.BYTES).putDouble(value).array());
    return this;
  }

  Message float32(int field, float value) {
    key(field, FIXED32);
    bytes.writeBytes(little(Float.BYTES).putFloat(value).array());
    return this;
  }

  Message text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  Message message(int field, Message value) {
    return bytes(field, value.encoded());
  }

  byte[] encoded() {
    return bytes.toByteArray();
  }

  private Message bytes(int field, byte[] value) {
    key(field, BYTES);
    varint(value.length);
    bytes.writeBytes(value);
    return this;
  }

  private void key(int field, int type) {
    varint(((long) field << 3) | type);
  }

  private void varint(long value) {
    long left = value;
    while ((left & ~0x7FL) != 0) {
      bytes.write((int) ((left & 0x7F) | 0x80));
      left >>>= 7;
    }
    bytes.write((int) left);
  }

  private static ByteBuffer little(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }
}
