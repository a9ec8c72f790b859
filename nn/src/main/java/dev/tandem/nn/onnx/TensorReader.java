package dev.tandem.nn.onnx;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.protobuf.ProtoReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tensors of an ONNX file: those with raw bytes, here or in a file beside it, are views, others are
 * small copies.
 */
final class TensorReader {

  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  // Weights are raw bytes; lists of integers are short, and longer ones would fill the heap.
  private static final int MAX_DIMENSIONS = 16;
  private static final int MAX_WHOLES = 1 << 20;

  private TensorReader() {}

  static TensorView read(ProtoReader message, ExternalData files) {
    String name = "";
    long type = 0;
    boolean elsewhere = false;
    List<Long> extents = new ArrayList<>();
    List<Long> integers = new ArrayList<>();
    MemorySegment raw = null;
    List<MemorySegment> packed = new ArrayList<>();
    Map<String, String> place = new HashMap<>();
    while (message.next()) {
      switch (message.field()) {
        case 1 -> varints(message, MAX_DIMENSIONS, extents);
        case 2 -> type = message.varint();
        case 4, 10 -> packed.add(message.fixed());
        case 5, 7, 11 -> varints(message, MAX_WHOLES, integers);
        case 8 -> name = message.text();
        case 9 -> raw = message.bytes();
        case 13 -> OnnxReader.entry(message.message(), place);
        case 14 -> elsewhere = message.varint() == 1;
        default -> message.skip();
      }
    }
    DType dtype = ElementTypes.dtype(name, type);
    try {
      Shape shape = new Shape(extents);
      if (elsewhere) {
        raw = files.bytes(name, place, Math.multiplyExact(shape.elements(), dtype.bytes()));
      } else if (raw == null) {
        raw = integers.isEmpty() ? together(packed) : bytes(integers, dtype);
      }
      return new TensorView(name, dtype, shape, raw);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw message.damaged();
    }
  }

  /** Adds the integers of a repeated field to a list, at most {@code limit} in all. */
  static void varints(ProtoReader message, int limit, List<Long> list) {
    message.varints(
        value -> {
          if (list.size() == limit) {
            throw message.damaged();
          }
          list.add(value);
        });
  }

  /** Adds the numbers of a repeated field to a short list. */
  static void floats(ProtoReader message, List<Float> list) {
    MemorySegment bytes = message.fixed();
    if (bytes.byteSize() > MAX_WHOLES) {
      throw message.damaged();
    }
    for (long i = 0; i + Float.BYTES <= bytes.byteSize(); i += Float.BYTES) {
      list.add(bytes.get(FLOAT, i));
    }
  }

  private static MemorySegment together(List<MemorySegment> packed) {
    if (packed.size() == 1) {
      return packed.getFirst();
    }
    long size = packed.stream().mapToLong(MemorySegment::byteSize).sum();
    MemorySegment all = MemorySegment.ofArray(new byte[Math.toIntExact(size)]);
    long at = 0;
    for (MemorySegment part : packed) {
      all.asSlice(at).copyFrom(part);
      at += part.byteSize();
    }
    return all;
  }

  /** Integers, and the bits of 16-bit floats, which are stored as integers. */
  private static MemorySegment bytes(List<Long> values, DType dtype) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.multiplyExact(values.size(), dtype.bytes()))
            .order(ByteOrder.LITTLE_ENDIAN);
    for (long value : values) {
      switch (dtype.bytes()) {
        case 1 -> bytes.put((byte) value);
        case 2 -> bytes.putShort((short) value);
        case 4 -> bytes.putInt((int) value);
        default -> bytes.putLong(value);
      }
    }
    return MemorySegment.ofArray(bytes.array());
  }
}
