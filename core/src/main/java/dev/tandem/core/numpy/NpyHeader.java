package dev.tandem.core.numpy;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What an NPY file says before its elements, which follow with the last extent fastest.
 *
 * @param bytes of the header itself
 */
public record NpyHeader(DType type, Shape shape, int bytes) {

  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int ALIGNMENT = 64;
  private static final int MOST_BYTES = 1 << 20;
  private static final Pattern HEADER =
      Pattern.compile(
          "\\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \\(([^)]*)\\),?"
              + " *\\}\\s*");

  /** A header of version 1: magic, version, length, a Python dictionary, padded to 64 bytes. */
  public static byte[] encode(DType type, Shape shape) {
    String extents =
        shape.extents().stream().map(String::valueOf).collect(Collectors.joining(", "))
            + (shape.extents().size() == 1 ? "," : "");
    String text =
        "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }".formatted(word(type), extents);
    int unpadded = MAGIC.length + 4 + text.length() + 1;
    int padding = (ALIGNMENT - unpadded % ALIGNMENT) % ALIGNMENT;
    byte[] line = (text + " ".repeat(padding) + "\n").getBytes(StandardCharsets.ISO_8859_1);
    return ByteBuffer.allocate(MAGIC.length + 4 + line.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(MAGIC)
        .put((byte) 1)
        .put((byte) 0)
        .putShort((short) line.length)
        .put(line)
        .array();
  }

  /**
   * Reads a header; the stream is then at the first element.
   *
   * @throws IllegalArgumentException if it is none, or one of an array that cannot be read
   */
  public static NpyHeader read(InputStream in) throws IOException {
    byte[] start = in.readNBytes(MAGIC.length + 2);
    if (start.length < MAGIC.length + 2
        || !ByteBuffer.wrap(start, 0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
      throw new IllegalArgumentException("not an NPY file");
    }
    byte[] length = in.readNBytes(start[MAGIC.length] == 1 ? 2 : 4);
    if (length.length < 2) {
      throw new IllegalArgumentException("the file ends too early");
    }
    ByteBuffer number = ByteBuffer.wrap(length).order(ByteOrder.LITTLE_ENDIAN);
    int bytes = length.length == 4 ? number.getInt() : number.getShort() & 0xffff;
    if (bytes < 0 || bytes > MOST_BYTES) {
      throw new IllegalArgumentException("a header of %d bytes".formatted(bytes));
    }
    String text = new String(in.readNBytes(bytes), StandardCharsets.ISO_8859_1);
    Matcher header = HEADER.matcher(text);
    if (!header.matches()) {
      throw new IllegalArgumentException("unsupported header: " + text.strip());
    }
    if (header.group(2).equals("True") && header.group(3).contains(",")) {
      throw new IllegalArgumentException(
          "in Fortran order: save numpy.ascontiguousarray(x) instead");
    }
    List<Long> extents = new ArrayList<>();
    for (String extent : header.group(3).split(",", -1)) {
      if (!extent.isBlank()) {
        extents.add(Long.valueOf(extent.strip()));
      }
    }
    return new NpyHeader(
        type(header.group(1)), new Shape(extents), start.length + length.length + bytes);
  }

  private static String word(DType type) {
    return switch (type) {
      case FLOAT32 -> "<f4";
      case FLOAT64 -> "<f8";
      case FLOAT16 -> "<f2";
      case INT32 -> "<i4";
      case INT64 -> "<i8";
      case UINT8 -> "|u1";
      case BFLOAT16 -> throw new IllegalArgumentException("numpy does not support bfloat16");
    };
  }

  private static DType type(String word) {
    return switch (word) {
      case "<f4" -> DType.FLOAT32;
      case "<f8" -> DType.FLOAT64;
      case "<f2" -> DType.FLOAT16;
      case "<i4" -> DType.INT32;
      case "<i8" -> DType.INT64;
      case "|u1" -> DType.UINT8;
      default ->
          throw new IllegalArgumentException("unsupported element type '%s'".formatted(word));
    };
  }
}
