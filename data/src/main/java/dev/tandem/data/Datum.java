package dev.tandem.data;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Caffe's Datum message (protocol buffers, written by hand because it is on the path of every
 * sample): an image of unsigned bytes, channel by channel, and its label.
 *
 * @param pixels channels x height x width bytes; a slice of what was decoded, not a copy
 */
public record Datum(int channels, int height, int width, int label, MemorySegment pixels) {

  // Field number << 3 | wire type, as caffe.proto has them.
  private static final int CHANNELS = 1 << 3;
  private static final int HEIGHT = 2 << 3;
  private static final int WIDTH = 3 << 3;
  private static final int DATA = (4 << 3) | 2;
  private static final int LABEL = 5 << 3;
  private static final int FLOAT_DATA = (6 << 3) | 2;
  private static final int FLOAT_DATA_UNPACKED = (6 << 3) | 5;
  private static final int ENCODED = 7 << 3;

  public Datum {
    long needed = (long) channels * height * width;
    if (channels <= 0 || height <= 0 || width <= 0 || pixels.byteSize() != needed) {
      throw new WorkFailedException(
          "Datum of %dx%dx%d has %d bytes of pixels, not %d"
              .formatted(channels, height, width, pixels.byteSize(), needed));
    }
  }

  public static Datum of(int channels, int height, int width, int label, byte[] pixels) {
    return new Datum(channels, height, width, label, MemorySegment.ofArray(pixels));
  }

  /** The message as Caffe's tools write it. */
  public byte[] encode() {
    int size = (int) pixels.byteSize();
    byte[] message = new byte[size + 64];
    int at = 0;
    at = putField(message, at, CHANNELS, channels);
    at = putField(message, at, HEIGHT, height);
    at = putField(message, at, WIDTH, width);
    at = putField(message, at, DATA, size);
    MemorySegment.copy(pixels, ValueLayout.JAVA_BYTE, 0, message, at, size);
    at += size;
    at = putField(message, at, LABEL, label);
    return Arrays.copyOf(message, at);
  }

  /** A message around an image file, JPEG or PNG, as Caffe's tools write it with --encoded. */
  public static byte[] encodeFile(MemorySegment file, int label) {
    int size = Math.toIntExact(file.byteSize());
    byte[] message = new byte[Math.addExact(size, 64)];
    int at = putField(message, 0, DATA, size);
    MemorySegment.copy(file, ValueLayout.JAVA_BYTE, 0, message, at, size);
    at += size;
    at = putField(message, at, LABEL, label);
    at = putField(message, at, ENCODED, 1);
    return Arrays.copyOf(message, at);
  }

  private static int putField(byte[] message, int at, int tag, int value) {
    message[at++] = (byte) tag;
    // Negative labels take ten bytes, as protocol buffers sign-extend int32.
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      message[at++] = (byte) ((rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    message[at++] = (byte) rest;
    return at;
  }

  /**
   * The fields of a message as they stand in it.
   *
   * @param encoded whether {@code data} is an image file instead of pixels; the sizes may be absent
   * @param data a slice of the message, not a copy
   */
  public record Fields(
      int channels, int height, int width, int label, boolean encoded, MemorySegment data) {}

  /** Reads a message of plain pixels; everything else gives a clear error. */
  public static Datum decode(MemorySegment message) {
    Fields fields = fields(message);
    if (fields.encoded) {
      throw new WorkFailedException("Datum holds a compressed image, not plain pixels");
    }
    return new Datum(fields.channels, fields.height, fields.width, fields.label, fields.data);
  }

  /** Reads a message of bytes, plain or encoded; what is not one gives a clear error. */
  public static Fields fields(MemorySegment message) {
    int channels = 0;
    int height = 0;
    int width = 0;
    int label = 0;
    boolean encoded = false;
    MemorySegment data = null;
    Wire wire = new Wire(message);
    while (wire.hasMore()) {
      int tag = (int) wire.varint();
      switch (tag) {
        case CHANNELS -> channels = (int) wire.varint();
        case HEIGHT -> height = (int) wire.varint();
        case WIDTH -> width = (int) wire.varint();
        case LABEL -> label = (int) wire.varint();
        case DATA -> data = wire.bytes();
        case ENCODED -> encoded = wire.varint() != 0;
        case FLOAT_DATA, FLOAT_DATA_UNPACKED ->
            throw new WorkFailedException("Datum holds floating-point pixels, not bytes");
        default -> wire.skip(tag);
      }
    }
    if (data == null) {
      throw new WorkFailedException("not a Caffe Datum: it holds no pixels");
    }
    return new Fields(channels, height, width, label, encoded, data);
  }

  /** A reader of protocol-buffer fields that never leaves the message. */
  private static final class Wire {
    private final MemorySegment message;
    private long at;

    Wire(MemorySegment message) {
      this.message = message;
    }

    boolean hasMore() {
      return at < message.byteSize();
    }

    long varint() {
      long value = 0;
      for (int shift = 0; shift < 64 && hasMore(); shift += 7) {
        byte b = message.get(ValueLayout.JAVA_BYTE, at++);
        value |= (b & 0x7FL) << shift;
        if (b >= 0) {
          return value;
        }
      }
      throw damaged();
    }

    MemorySegment bytes() {
      long length = varint();
      if (length < 0 || length > message.byteSize() - at) {
        throw damaged();
      }
      at += length;
      return message.asSlice(at - length, length);
    }

    void skip(int tag) {
      switch (tag & 7) {
        case 0 -> varint();
        case 1 -> at += 8;
        case 2 -> bytes();
        case 5 -> at += 4;
        default -> throw damaged();
      }
      if (at > message.byteSize()) {
        throw damaged();
      }
    }

    private WorkFailedException damaged() {
      return new WorkFailedException("not a Caffe Datum: damaged at byte " + at);
    }
  }
}
