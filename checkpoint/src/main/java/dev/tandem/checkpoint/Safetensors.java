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
import java.util.List;
import java.util.Map;

/**
 * The safetensors layout: an 8-byte header length, a JSON header with type, shape and place of each
 * tensor, then the bytes. Any safetensors reader opens it.
 */
final class Safetensors {

  /** Longer headers are refused: a damaged length must not make us allocate gigabytes. */
  private static final long MAX_HEADER = 100L << 20;

  /** Data begins at a multiple of this, so that mapped tensors are aligned. */
  private static final int ALIGNMENT = 64;

  private static final ValueLayout.OfLong LENGTH =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ObjectMapper JSON = new ObjectMapper();

  private Safetensors() {}

  /** Length and JSON, padded with spaces as the format allows. */
  static byte[] header(Collection<TensorView> tensors) {
    ObjectNode root = JSON.createObjectNode();
    long at = 0;
    for (TensorView tensor : tensors) {
      ObjectNode entry = root.putObject(tensor.name());
      entry.put("dtype", tensor.dtype().code());
      ArrayNode shape = entry.putArray("shape");
      tensor.shape().extents().forEach(shape::add);
      entry.putArray("data_offsets").add(at).add(at + tensor.byteSize());
      at += tensor.byteSize();
    }
    byte[] json = root.toString().getBytes(StandardCharsets.UTF_8);
    int padded = (8 + json.length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    byte[] header = new byte[padded];
    Arrays.fill(header, (byte) ' ');
    MemorySegment.ofArray(header).set(LENGTH, 0, padded - 8L);
    System.arraycopy(json, 0, header, 8, json.length);
    return header;
  }

  /** The tensors of a whole file, as views into it. */
  static List<TensorView> parse(MemorySegment file, String name) {
    long headerLength = file.byteSize() < 8 ? -1 : file.get(LENGTH, 0);
    if (headerLength < 2 || headerLength > MAX_HEADER || headerLength > file.byteSize() - 8) {
      throw new WorkFailedException(name + " is no safetensors file: its header does not fit");
    }
    byte[] json = file.asSlice(8, headerLength).toArray(ValueLayout.JAVA_BYTE);
    MemorySegment data = file.asSlice(8 + headerLength);
    List<TensorView> tensors = new ArrayList<>();
    try {
      JsonNode root = JSON.readTree(new String(json, StandardCharsets.UTF_8));
      for (Map.Entry<String, JsonNode> entry : root.properties()) {
        if (!entry.getKey().equals("__metadata__")) {
          tensors.add(tensor(entry.getKey(), entry.getValue(), data));
        }
      }
    } catch (JsonProcessingException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new WorkFailedException(name + " is damaged: its header is not readable", e);
    }
    return tensors;
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
