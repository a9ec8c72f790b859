package dev.tandem.data;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * A record that is an array of numbers of any shape, and its target: a label, or numbers. Rows of
 * tables and volumes are kept so. Little-endian:
 *
 * <pre>
 *   2 bytes   "TA"
 *   1 byte    version, 1
 *   1 byte    elements: 0 for unsigned bytes, 1 for float32
 *   1 byte    extents of the shape, 1 to 8
 *   1 byte    target: 0 for a label, 1 for values
 *   2 bytes   number of values; 0 for a label
 *   4 bytes   each extent
 *   8 bytes   the label, or 4 bytes each value (float32)
 *   then the elements, the last extent fastest
 * </pre>
 *
 * <p>Immutable; {@code elements} is a slice of what was decoded, not a copy.
 *
 * @param bytes whether elements are unsigned bytes instead of float32
 * @param label -1 if targets are values
 * @param values empty if the target is a label
 */
public record ArrayRecord(
    boolean bytes, List<Integer> shape, long label, List<Float> values, MemorySegment elements) {

  private static final byte[] MAGIC = {'T', 'A'};
  private static final int VERSION = 1;
  private static final int FIXED = 8;
  private static final int MOST_EXTENTS = 8;
  private static final int MOST_VALUES = 0xFFFF;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  public ArrayRecord {
    shape = List.copyOf(shape);
    values = List.copyOf(values);
    long count = elements(shape);
    long needed = bytes ? count : count * Float.BYTES;
    if (elements.byteSize() != needed) {
      throw new WorkFailedException(
          "an array of %s has %,d bytes, not %,d".formatted(shape, elements.byteSize(), needed));
    }
    if (values.size() > MOST_VALUES || (values.isEmpty() && label < 0)) {
      throw new WorkFailedException(
          "an array has a label or 1 to %d values as target, not label %d and %d values"
              .formatted(MOST_VALUES, label, values.size()));
    }
  }

  private static long elements(List<Integer> shape) {
    if (shape.isEmpty() || shape.size() > MOST_EXTENTS) {
      throw new WorkFailedException(
          "an array has 1 to %d extents, not %d".formatted(MOST_EXTENTS, shape.size()));
    }
    long count = 1;
    for (int extent : shape) {
      if (extent < 1 || count > Integer.MAX_VALUE / extent) {
        throw new WorkFailedException("an array cannot have the shape " + shape);
      }
      count *= extent;
    }
    return count;
  }

  /** An array of float32. */
  public static ArrayRecord of(List<Integer> shape, float[] elements, long label, float... values) {
    ByteBuffer buffer =
        ByteBuffer.allocate(elements.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (float element : elements) {
      buffer.putFloat(element);
    }
    return new ArrayRecord(
        false, shape, label, boxed(values), MemorySegment.ofArray(buffer.array()));
  }

  /** An array of unsigned bytes. */
  public static ArrayRecord ofBytes(
      List<Integer> shape, MemorySegment elements, long label, float... values) {
    return new ArrayRecord(true, shape, label, boxed(values), elements);
  }

  private static List<Float> boxed(float[] values) {
    Float[] boxed = new Float[values.length];
    Arrays.setAll(boxed, i -> values[i]);
    return List.of(boxed);
  }

  /** Whether a record is one of these, by its first bytes. */
  public static boolean is(MemorySegment record) {
    return record.byteSize() >= FIXED
        && record.get(ValueLayout.JAVA_BYTE, 0) == MAGIC[0]
        && record.get(ValueLayout.JAVA_BYTE, 1) == MAGIC[1];
  }

  /** Reads a record; whatever is not one is a {@link WorkFailedException}. */
  public static ArrayRecord decode(MemorySegment record) {
    Header header = Header.decode(record);
    return new ArrayRecord(
        header.elementsAreBytes,
        header.shape,
        header.label,
        header.values,
        record.asSlice(header.bytes()));
  }

  /** What stands before the elements; as of the record. */
  public record Header(
      boolean elementsAreBytes, List<Integer> shape, long label, List<Float> values) {

    /** Reads the beginning of a record; whatever is not one is a {@link WorkFailedException}. */
    public static Header decode(MemorySegment record) {
      if (!is(record)) {
        throw new WorkFailedException("not an array record: it does not begin with TA");
      }
      int version = record.get(ValueLayout.JAVA_BYTE, 2);
      int kind = record.get(ValueLayout.JAVA_BYTE, 3);
      int extents = record.get(ValueLayout.JAVA_BYTE, 4);
      int target = record.get(ValueLayout.JAVA_BYTE, 5);
      int count =
          (record.get(ValueLayout.JAVA_BYTE, 6) & 0xFF)
              | (record.get(ValueLayout.JAVA_BYTE, 7) & 0xFF) << 8;
      if (version != VERSION
          || (kind & ~1) != 0
          || (target & ~1) != 0
          || extents < 1
          || extents > MOST_EXTENTS
          || (target == 0) != (count == 0)) {
        throw new WorkFailedException(
            "a damaged array record: version %d, elements %d, %d extents, target %d of %d values"
                .formatted(version, kind, extents, target, count));
      }
      long at = FIXED + 4L * extents;
      long bytes = at + (target == 0 ? Long.BYTES : (long) count * Float.BYTES);
      if (record.byteSize() < bytes) {
        throw new WorkFailedException(
            "an array record of %,d bytes is cut off".formatted(record.byteSize()));
      }
      Integer[] shape = new Integer[extents];
      Arrays.setAll(shape, i -> record.get(INT, FIXED + 4L * i));
      Float[] values = new Float[count];
      Arrays.setAll(values, i -> record.get(FLOAT, at + 4L * i));
      long label = target == 0 ? record.get(LONG, at) : -1;
      return new Header(kind == 0, List.of(shape), label, List.of(values));
    }

    public Header {
      shape = List.copyOf(shape);
      values = List.copyOf(values);
    }

    /** As it is kept. */
    public byte[] encode() {
      ByteBuffer buffer = ByteBuffer.allocate(bytes()).order(ByteOrder.LITTLE_ENDIAN);
      buffer.put(MAGIC).put((byte) VERSION).put((byte) (elementsAreBytes ? 0 : 1));
      buffer.put((byte) shape.size()).put((byte) (values.isEmpty() ? 0 : 1));
      buffer.putShort((short) values.size());
      shape.forEach(buffer::putInt);
      if (values.isEmpty()) {
        buffer.putLong(label);
      }
      values.forEach(buffer::putFloat);
      return buffer.array();
    }

    /** Bytes before the elements. */
    public int bytes() {
      int target = values.isEmpty() ? Long.BYTES : values.size() * Float.BYTES;
      return FIXED + 4 * shape.size() + target;
    }

    /** Bytes of an element. */
    public int elementBytes() {
      return elementsAreBytes ? 1 : Float.BYTES;
    }
  }

  /** What stands before the elements. */
  public Header header() {
    return new Header(bytes, shape, label, values);
  }

  /** The record as it is kept. */
  public byte[] encode() {
    byte[] header = header().encode();
    byte[] record = Arrays.copyOf(header, Math.toIntExact(header.length + elements.byteSize()));
    MemorySegment.copy(
        elements, 0, MemorySegment.ofArray(record), header.length, elements.byteSize());
    return record;
  }

  /** Elements of the array. */
  public int count() {
    return Math.toIntExact(bytes ? elements.byteSize() : elements.byteSize() / Float.BYTES);
  }

  /** One element; an unsigned byte becomes 0 to 1. */
  public double element(int index) {
    return element(elements, bytes, index);
  }

  /** An element among some that follow each other. */
  public static double element(MemorySegment elements, boolean bytes, long index) {
    return bytes
        ? (elements.get(ValueLayout.JAVA_BYTE, index) & 0xFF) / 255.0
        : elements.get(FLOAT, index * Float.BYTES);
  }
}
