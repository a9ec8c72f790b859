package dev.tandem.nn.weights;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Weights in a safetensors file: an 8-byte header length, a JSON header with type, shape and place
 * of each tensor, then the bytes without gaps. Any safetensors reader opens what is written here,
 * and what others write is read, of the element types that {@link DType} has.
 */
public final class SafetensorsFile {

  private static final String METADATA = "__metadata__";

  /** Longer headers are refused: a damaged length must not make us allocate gigabytes. */
  private static final long MAX_HEADER = 100L << 20;

  /** Data begins at a multiple of this, so that mapped tensors are aligned. */
  private static final int ALIGNMENT = 64;

  private static final ValueLayout.OfLong LENGTH =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ObjectMapper JSON = new ObjectMapper();

  private SafetensorsFile() {}

  /**
   * Replaces the file by these weights.
   *
   * @param metadata words about them, for people and tools; may be empty
   */
  public static void write(Path file, Weights weights, Map<String, String> metadata) {
    List<MemorySegment> parts = new ArrayList<>();
    parts.add(MemorySegment.ofArray(header(weights, metadata)));
    weights.tensors().values().forEach(tensor -> parts.add(tensor.data()));
    ExchangeFiles.replace(file, parts);
  }

  /**
   * The weights in a file, which is mapped, not copied.
   *
   * @throws WorkFailedException one line, if the file cannot be read or is damaged
   */
  public static Weights read(Path file) {
    MemorySegment bytes = ExchangeFiles.map(file);
    long length = bytes.byteSize() < Long.BYTES ? -1 : bytes.get(LENGTH, 0);
    if (length < 2 || length > MAX_HEADER || length > bytes.byteSize() - Long.BYTES) {
      throw new WorkFailedException(file + " is no safetensors file: its header does not fit");
    }
    byte[] json = bytes.asSlice(Long.BYTES, length).toArray(ValueLayout.JAVA_BYTE);
    MemorySegment data = bytes.asSlice(Long.BYTES + length);
    List<TensorView> tensors = new ArrayList<>();
    try {
      JsonNode root = JSON.readTree(new String(json, StandardCharsets.UTF_8));
      for (Map.Entry<String, JsonNode> entry : root.properties()) {
        if (!entry.getKey().equals(METADATA)) {
          tensors.add(tensor(file, entry.getKey(), entry.getValue(), data));
        }
      }
    } catch (JsonProcessingException e) {
      throw new WorkFailedException(file + " is damaged: its header is not readable", e);
    }
    return Weights.of(file.toString(), tensors);
  }

  private static TensorView tensor(Path file, String name, JsonNode entry, MemorySegment data) {
    DType dtype = dtype(file, name, entry.path("dtype").asText());
    try {
      List<Long> extents = new ArrayList<>();
      entry.path("shape").forEach(extent -> extents.add(whole(extent)));
      long from = whole(entry.path("data_offsets").path(0));
      long to = whole(entry.path("data_offsets").path(1));
      Shape shape = new Shape(extents);
      return new TensorView(name, dtype, shape, data.asSlice(from, to - from));
    } catch (IllegalArgumentException | IndexOutOfBoundsException | ArithmeticException e) {
      throw new WorkFailedException(
          "%s is damaged: type, shape and place of tensor %s do not fit".formatted(file, name), e);
    }
  }

  private static DType dtype(Path file, String name, String code) {
    try {
      return DType.ofCode(code);
    } catch (IllegalArgumentException e) {
      throw new WorkFailedException(
          "%s: tensor %s has elements of type '%s', which Tandem does not have; known: %s"
              .formatted(file, name, code, Arrays.stream(DType.values()).map(DType::code).toList()),
          e);
    }
  }

  private static long whole(JsonNode node) {
    if (!node.isIntegralNumber() || !node.canConvertToLong()) {
      throw new IllegalArgumentException("not an integer: " + node);
    }
    return node.longValue();
  }

  /** Length and JSON, padded with spaces as the format allows. */
  private static byte[] header(Weights weights, Map<String, String> metadata) {
    ObjectNode root = JSON.createObjectNode();
    if (!metadata.isEmpty()) {
      ObjectNode words = root.putObject(METADATA);
      metadata.forEach(words::put);
    }
    long at = 0;
    for (TensorView tensor : weights.tensors().values()) {
      ObjectNode entry = root.putObject(tensor.name());
      entry.put("dtype", tensor.dtype().code());
      ArrayNode shape = entry.putArray("shape");
      tensor.shape().extents().forEach(shape::add);
      entry.putArray("data_offsets").add(at).add(at + tensor.byteSize());
      at += tensor.byteSize();
    }
    byte[] json = root.toString().getBytes(StandardCharsets.UTF_8);
    int padded = (Long.BYTES + json.length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    byte[] header = new byte[padded];
    Arrays.fill(header, (byte) ' ');
    MemorySegment.ofArray(header).set(LENGTH, 0, (long) padded - Long.BYTES);
    System.arraycopy(json, 0, header, Long.BYTES, json.length);
    return header;
  }
}
