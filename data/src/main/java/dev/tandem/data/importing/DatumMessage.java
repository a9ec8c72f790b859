package dev.tandem.data.importing;

import java.lang.foreign.MemorySegment;

/**
 * Builds Caffe Datum messages in one buffer that every message uses again. For one thread; what it
 * lends is valid until the next call.
 *
 * <p>{@link dev.tandem.data.Datum#encode()} is the plain way; this one saves a copy a record, and
 * knows the field {@code encoded}, which Caffe's image tools always write.
 */
final class DatumMessage {

  private static final int CHANNELS = 1 << 3;
  private static final int HEIGHT = 2 << 3;
  private static final int WIDTH = 3 << 3;
  private static final int DATA = (4 << 3) | 2;
  private static final int LABEL = 5 << 3;
  private static final int ENCODED = 7 << 3;

  /** The most bytes that all fields but the data take. */
  private static final int FIELDS = 64;

  private byte[] buffer = new byte[FIELDS];
  private int at;

  /** Begins a message of plain pixels; {@code pixels()} says where they go. */
  void begin(int channels, int height, int width) {
    int size = Math.multiplyExact(channels, Math.multiplyExact(height, width));
    reserve(size);
    field(CHANNELS, channels);
    field(HEIGHT, height);
    field(WIDTH, width);
    field(DATA, size);
  }

  /** Begins a message that holds the bytes of an image file. */
  void beginEncoded(int size) {
    reserve(size);
    field(DATA, size);
  }

  /** The buffer into which the data goes, from {@link #dataAt()} on. */
  byte[] buffer() {
    return buffer;
  }

  int dataAt() {
    return at;
  }

  /** Skips over data that was put into the buffer. */
  void dataDone(int size) {
    at += size;
  }

  void data(byte[] source, int offset, int size) {
    System.arraycopy(source, offset, buffer, at, size);
    at += size;
  }

  void label(int label) {
    field(LABEL, label);
  }

  void encoded(boolean encoded) {
    field(ENCODED, encoded ? 1 : 0);
  }

  /** The message so far, borrowed until the next {@code begin}. */
  MemorySegment message() {
    return MemorySegment.ofArray(buffer).asSlice(0, at);
  }

  private void reserve(int size) {
    at = 0;
    int needed = Math.addExact(size, FIELDS);
    if (buffer.length < needed) {
      buffer = new byte[needed];
    }
  }

  private void field(int tag, int value) {
    buffer[at++] = (byte) tag;
    // Negative labels take ten bytes, as protocol buffers sign-extend int32.
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      buffer[at++] = (byte) ((rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    buffer[at++] = (byte) rest;
  }
}
