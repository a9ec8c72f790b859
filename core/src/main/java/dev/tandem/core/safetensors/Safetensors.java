package dev.tandem.core.safetensors;

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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The safetensors layout: an 8-byte header length, a JSON header with type, shape and position of
 * each tensor, then the bytes. Any safetensors reader opens what is written here, and what others
 * write is read, for the element types of {@link DType}.
 */
public final class Safetensors {

  /** Longer headers are refused: a damaged length must not make us allocate gigabytes. */
  private static final long MAX_HEADER = 100L << 20;

  /** Data begins at a multiple of this, so that mapped tensors are aligned. */
  private static final int ALIGNMENT = 64;

  /** Bytes of a character in JSON, at most, and of a number with its comma. */
  private static final long MOST_ESCAPED = 6;

  private static final long MOST_DIGITS = 21;

  private static final String METADATA = "__metadata__";
  private static final ValueLayout.OfLong LENGTH =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ObjectMapper JSON = new ObjectMapper();

  private Safetensors() {}

  /**
   * A tensor in a file; one begins where the last ended.
   *
   * @param dtype its safetensors name
   */
  public record Entry(String name, String dtype, List<Long> shape, long bytes) {

    /** An entry for a whole tensor. */
    public static Entry of(TensorView tensor) {
      return new Entry(
          tensor.name(), tensor.dtype().code(), tensor.shape().extents(), tensor.byteSize());
    }
  }

  /** What a file holds; the tensors are views into it. */
  public record Content(List<TensorView> tensors, Map<String, String> metadata) {

    public Content {
      tensors = List.copyOf(tensors);
      metadata = Map.copyOf(metadata);
    }
  }

  /**
   * A whole file of these tensors, in this order: its header and the tensors' own memory.
   *
   * @param metadata for people and tools; may be empty
   */
  public static List<MemorySegment> file(
      Collection<TensorView> tensors, Map<String, String> metadata) {
    List<MemorySegment> parts = new ArrayList<>();
    List<Entry> entries = tensors.stream().map(Entry::of).toList();
    parts.add(MemorySegment.ofArray(header(entries, metadata, ALIGNMENT)));
    tensors.forEach(tensor -> parts.add(tensor.data()));
    return parts;
  }

  /**
   * The header of a file in which these tensors follow one after the other: length and JSON, padded
   * with spaces, as the format allows, to a multiple of a length.
   */
  public static byte[] header(List<Entry> entries, Map<String, String> metadata, int multiple) {
    ObjectNode root = JSON.createObjectNode();
    if (!metadata.isEmpty()) {
      ObjectNode texts = root.putObject(METADATA);
      new TreeMap<>(metadata).forEach(texts::put);
    }
    long at = 0;
    for (Entry tensor : entries) {
      ObjectNode entry = root.putObject(tensor.name());
      entry.put("dtype", tensor.dtype());
      ArrayNode shape = entry.putArray("shape");
      tensor.shape().forEach(shape::add);
      entry.putArray("data_offsets").add(at).add(at + tensor.bytes());
      at += tensor.bytes();
    }
    byte[] json = root.toString().getBytes(StandardCharsets.UTF_8);
    int blocks = (Long.BYTES + json.length + multiple - 1) / multiple;
    byte[] header = new byte[Math.multiplyExact(blocks, multiple)];
    Arrays.fill(header, (byte) ' ');
    MemorySegment.ofArray(header).set(LENGTH, 0, (long) header.length - Long.BYTES);
    System.arraycopy(json, 0, header, Long.BYTES, json.length);
    return header;
  }

  /** An upper bound of a header's bytes, found without writing it. */
  public static long mostHeaderBytes(List<Entry> entries, Map<String, String> metadata) {
    long most = 64;
    for (Map.Entry<String, String> text : metadata.entrySet()) {
      most += 16 + MOST_ESCAPED * (text.getKey().length() + text.getValue().length());
    }
    for (Entry entry : entries) {
      long numbers = MOST_DIGITS * (entry.shape().size() + 3);
      most += 64 + entry.dtype().length() + MOST_ESCAPED * entry.name().length() + numbers;
    }
    return most;
  }

  /**
   * The content of a whole file.
   *
   * @param file borrowed; the tensors are views into it
   * @param name for errors
   * @throws WorkFailedException one line, if the file is damaged
   */
  public static Content parse(MemorySegment file, String name) {
    long length = file.byteSize() < Long.BYTES ? -1 : file.get(LENGTH, 0);
    if (length < 2 || length > MAX_HEADER || length > file.byteSize() - Long.BYTES) {
      throw new WorkFailedException(
          "%s is not a safetensors file: header of %d bytes in a file of %d"
              .formatted(name, length, file.byteSize()));
    }
    byte[] json = file.asSlice(Long.BYTES, length).toArray(ValueLayout.JAVA_BYTE);
    MemorySegment data = file.asSlice(Long.BYTES + length);
    List<TensorView> tensors = new ArrayList<>();
    Map<String, String> metadata = new TreeMap<>();
    JsonNode root;
    try {
      root = JSON.readTree(new String(json, StandardCharsets.UTF_8));
    } catch (JsonProcessingException e) {
      throw new WorkFailedException(name + " is damaged: its header is not JSON", e);
    }
    for (Map.Entry<String, JsonNode> entry : root.properties()) {
      if (entry.getKey().equals(METADATA)) {
        entry.getValue().properties().forEach(e -> metadata.put(e.getKey(), e.getValue().asText()));
      } else {
        tensors.add(tensor(name, entry.getKey(), entry.getValue(), data));
      }
    }
    return new Content(tensors, metadata);
  }

  private static TensorView tensor(String file, String name, JsonNode entry, MemorySegment data) {
    DType dtype = dtype(file, name, entry.path("dtype").asText());
    try {
      List<Long> extents = new ArrayList<>();
      entry.path("shape").forEach(extent -> extents.add(integer(extent)));
      long from = integer(entry.path("data_offsets").path(0));
      long to = integer(entry.path("data_offsets").path(1));
      return new TensorView(name, dtype, new Shape(extents), data.asSlice(from, to - from));
    } catch (IllegalArgumentException | IndexOutOfBoundsException | ArithmeticException e) {
      throw new WorkFailedException(
          "%s is damaged: type, shape and position of tensor %s do not match".formatted(file, name),
          e);
    }
  }

  private static DType dtype(String file, String name, String code) {
    try {
      return DType.ofCode(code);
    } catch (IllegalArgumentException e) {
      throw new WorkFailedException(
          "%s: tensor %s has element type '%s'; supported: %s"
              .formatted(file, name, code, Arrays.stream(DType.values()).map(DType::code).toList()),
          e);
    }
  }

  private static long integer(JsonNode node) {
    if (!node.isIntegralNumber() || !node.canConvertToLong()) {
      throw new IllegalArgumentException("not an integer: " + node);
    }
    return node.longValue();
  }
}
