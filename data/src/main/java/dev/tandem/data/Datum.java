package dev.tandem.data;

import dev.tandem.core.WorkFailedException;
import dev.tandem.core.protobuf.ProtoReader;
import dev.tandem.core.protobuf.ProtoWriter;
import java.lang.foreign.MemorySegment;

/**
 * Caffe's Datum message (protocol buffers): an image of unsigned bytes, channel by channel, and its
 * label.
 *
 * @param pixels channels x height x width bytes; a slice of what was decoded, not a copy
 */
public record Datum(int channels, int height, int width, int label, MemorySegment pixels) {

  // Field numbers of caffe.proto.
  private static final int CHANNELS = 1;
  private static final int HEIGHT = 2;
  private static final int WIDTH = 3;
  private static final int DATA = 4;
  private static final int LABEL = 5;
  private static final int FLOAT_DATA = 6;
  private static final int ENCODED = 7;

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

  /** The message as Caffe's tools for CIFAR and MNIST write it. */
  public byte[] encode() {
    return fields().toByteArray();
  }

  /** The message as Caffe's tool for images writes it, which says that it is not encoded. */
  public byte[] encodeImage() {
    return fields().varint(ENCODED, 0).toByteArray();
  }

  private ProtoWriter fields() {
    return new ProtoWriter()
        .varint(CHANNELS, channels)
        .varint(HEIGHT, height)
        .varint(WIDTH, width)
        .bytes(DATA, pixels)
        .varint(LABEL, label);
  }

  /** A message around an image file, JPEG or PNG, as Caffe's tools write it with --encoded. */
  public static byte[] encodeFile(MemorySegment file, int label) {
    return new ProtoWriter()
        .bytes(DATA, file)
        .varint(LABEL, label)
        .varint(ENCODED, 1)
        .toByteArray();
  }

  /**
   * The fields of a message.
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
    ProtoReader reader = new ProtoReader(message, "a Caffe Datum");
    while (reader.next()) {
      switch (reader.field()) {
        case CHANNELS -> channels = (int) reader.varint();
        case HEIGHT -> height = (int) reader.varint();
        case WIDTH -> width = (int) reader.varint();
        case LABEL -> label = (int) reader.varint();
        case DATA -> data = reader.bytes();
        case ENCODED -> encoded = reader.varint() != 0;
        case FLOAT_DATA ->
            throw new WorkFailedException("Datum holds floating-point pixels, not bytes");
        default -> reader.skip();
      }
    }
    if (data == null) {
      throw new WorkFailedException("not a Caffe Datum: it holds no pixels");
    }
    return new Fields(channels, height, width, label, encoded, data);
  }
}
