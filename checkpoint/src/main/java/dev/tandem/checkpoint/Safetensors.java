package dev.tandem.checkpoint;

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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The safetensors layout: an 8-byte header length, a JSON header with type, shape and place of each
 * tensor, then the bytes. Any safetensors reader opens it.
 */
public final class Safetensors {

  /** Longer headers are refused: a damaged length must not make us allocate gigabytes. */
  private static final long MAX_HEADER = 100L << 20;

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
  record Entry(String name, String dtype, List<Long> shape, long bytes) {}

  /** What a file holds; the tensors are views into it. */
  public record Content(List<TensorView> tensors, Map<String, String> metadata) {}

  /** The order in which every element is aligned without gaps: larger types first, then by name. */
  public static List<TensorView> sorted(List<TensorView> tensors) {
    return tensors.stream()
        .sorted(
            Comparator.comparingInt((TensorView tensor) -> -tensor.dtype().bytes())
                .thenComparing(TensorView::name))
        .toList();
  }

  /** The header of a file in which these tensors follow one after the other. */
  public static byte[] header(
      Collection<TensorView> tensors, Map<String, String> metadata, int multiple) {
    return headerOf(
        tensors.stream()
            .map(t -> new Entry(t.name(), t.dtype().code(), t.shape().extents(), t.byteSize()))
            .toList(),
        metadata,
        multiple);
  }

  /** Length and JSON, filled up with spaces, as the format allows, to a multiple of a length. */
  static byte[] headerOf(List<Entry> entries, Map<String, String> metadata, int multiple) {
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
    int blocks = (8 + json.length + multiple - 1) / multiple;
    return padded(json, (long) blocks * multiple);
  }

  /** Bytes that a header certainly fits into, found without writing it. */
  static long most(List<Entry> entries, Map<String, String> metadata) {
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

  /** The same header in a larger place. */
  static byte[] grown(byte[] header, long bytes) {
    return padded(Arrays.copyOfRange(header, 8, header.length), bytes);
  }

  private static byte[] padded(byte[] json, long bytes) {
    byte[] header = new byte[Math.toIntExact(bytes)];
    Arrays.fill(header, (byte) ' ');
    MemorySegment.ofArray(header).set(LENGTH, 0, header.length - 8L);
    System.arraycopy(json, 0, header, 8, json.length);
    return header;
  }

  /**
   * What is in a whole file.
   *
   * @param file borrowed; the tensors are views into it
   * @param name for errors
   */
  public static Content parse(MemorySegment file, String name) {
    long headerLength = file.byteSize() < 8 ? -1 : file.get(LENGTH, 0);
    if (headerLength < 2 || headerLength > MAX_HEADER || headerLength > file.byteSize() - 8) {
      throw new WorkFailedException(name + " is no safetensors file: its header does not fit");
    }
    byte[] json = file.asSlice(8, headerLength).toArray(ValueLayout.JAVA_BYTE);
    MemorySegment data = file.asSlice(8 + headerLength);
    List<TensorView> tensors = new ArrayList<>();
    Map<String, String> metadata = new TreeMap<>();
    try {
      JsonNode root = JSON.readTree(new String(json, StandardCharsets.UTF_8));
      for (Map.Entry<String, JsonNode> entry : root.properties()) {
        if (entry.getKey().equals(METADATA)) {
          entry
              .getValue()
              .properties()
              .forEach(e -> metadata.put(e.getKey(), e.getValue().asText()));
        } else {
          tensors.add(tensor(entry.getKey(), entry.getValue(), data));
        }
      }
    } catch (JsonProcessingException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new WorkFailedException(
          name + " is damaged or of another kind: its header is not readable: " + e.getMessage(),
          e);
    }
    return new Content(tensors, metadata);
  }

  private static TensorView tensor(String name, JsonNode entry, MemorySegment data) {
    List<Long> extents = new ArrayList<>();
    entry.path("shape").forEach(extent -> extents.add(extent.longValue()));
    long from = entry.path("data_offsets").path(0).longValue();
    long to = entry.path("data_offsets").path(1).longValue();
    return new TensorView(
        name,
        DType.ofCode(entry.path("dtype").asText()),
        new Shape(extents),
        data.asSlice(from, to - from));
  }
}
