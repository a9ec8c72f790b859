package dev.tandem.checkpoint;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.WorkFailedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/**
 * What a checkpoint says of itself, and by its name the mark that it is committed.
 *
 * @param format version of this layout
 * @param checksum CRC-32C of the manifest with 0 in this place
 * @param ranks that wrote it
 * @param values what is no tensor
 * @param shards by their path within the store; those of earlier checkpoints that hold something of
 *     this one, too
 * @param tensors by name
 */
record Manifest(
    int format,
    long checksum,
    long step,
    int ranks,
    Map<String, String> values,
    Map<String, Shard> shards,
    Map<String, Tensor> tensors) {

  static final int FORMAT = 2;
  static final String FILE = "manifest.json";

  /** How the manifest's own checksum, its second field, is written while it is not known. */
  private static final String NO_CHECKSUM = "\"checksum\" : 0";

  private static final ObjectMapper JSON = new ObjectMapper();

  /** A safetensors file: its length, and its header's. */
  record Shard(long bytes, long headerBytes, long headerChecksum) {}

  /** A tensor and what it is made of. */
  record Tensor(String dtype, List<Long> shape, List<Piece> pieces) {

    Tensor {
      shape = List.copyOf(shape);
      pieces = List.copyOf(pieces);
    }

    @JsonIgnore
    DType type() {
      return DType.ofCode(dtype);
    }
  }

  /**
   * A block of a tensor in a shard.
   *
   * @param shard path within the store
   * @param position of its first byte in the shard
   * @param storedBytes that it takes there
   * @param bytes of its elements
   * @param checksum CRC-32C of the elements' bytes
   */
  record Piece(
      Block block,
      String shard,
      long position,
      long storedBytes,
      long bytes,
      Compression compression,
      long checksum) {}

  Manifest {
    values = new TreeMap<>(values);
    shards = new TreeMap<>(shards);
    tensors = new TreeMap<>(tensors);
  }

  /** Names of the checkpoints, this one among them, that hold its bytes. */
  Set<String> folders() {
    Set<String> folders = new TreeSet<>();
    shards.keySet().forEach(shard -> folders.add(shard.substring(0, shard.indexOf('/'))));
    return folders;
  }

  /**
   * Why the pieces do not make up the tensors, if so.
   *
   * <p>Each block lies in the tensor, no two have anything in common, and together they have as
   * many elements as the tensor: so every element is there once.
   */
  List<String> gaps() {
    List<String> gaps = new ArrayList<>();
    tensors.forEach(
        (name, tensor) -> {
          Shape whole = new Shape(tensor.shape());
          long elements = 0;
          boolean fits = true;
          for (int i = 0; i < tensor.pieces().size(); i++) {
            Block block = tensor.pieces().get(i).block();
            elements += block.elements();
            fits &= block.shape().size() == tensor.shape().size() && block.isIn(whole);
            for (int j = 0; j < i && fits && block.elements() > 0; j++) {
              fits = !block.meets(tensor.pieces().get(j).block());
            }
          }
          if (!fits || elements != whole.elements()) {
            gaps.add(
                "the parts of tensor %s that the ranks hold do not make up its shape %s"
                    .formatted(name, whole));
          }
        });
    return gaps;
  }

  /** The checksum takes the place of the 0 that it was computed with: the rest is written once. */
  ByteBuffer encode() {
    byte[] json = withChecksum(0).json();
    CRC32C sum = new CRC32C();
    sum.update(json);
    String text = new String(json, StandardCharsets.UTF_8);
    int at = text.indexOf(NO_CHECKSUM) + NO_CHECKSUM.length() - 1;
    String whole = text.substring(0, at) + sum.getValue() + text.substring(at + 1);
    return ByteBuffer.wrap(whole.getBytes(StandardCharsets.UTF_8));
  }

  private Manifest withChecksum(long sum) {
    return new Manifest(format, sum, step, ranks, values, shards, tensors);
  }

  private long computed() {
    CRC32C sum = new CRC32C();
    sum.update(withChecksum(0).json());
    return sum.getValue();
  }

  private byte[] json() {
    return Json.bytes(this);
  }

  static Manifest decode(byte[] json, String name) {
    Manifest manifest;
    try {
      // The version first: other versions have other fields.
      int format = JSON.readTree(new String(json, StandardCharsets.UTF_8)).path("format").asInt(-1);
      if (format != FORMAT) {
        throw new WorkFailedException(
            "%s has format %d, this version reads %d".formatted(name, format, FORMAT));
      }
      manifest = JSON.readValue(new String(json, StandardCharsets.UTF_8), Manifest.class);
    } catch (JsonProcessingException | IllegalArgumentException | NullPointerException e) {
      throw new WorkFailedException(name + " is damaged: no readable manifest", e);
    }
    if (manifest.checksum != manifest.computed()) {
      throw new WorkFailedException(name + " is damaged: it has a wrong checksum");
    }
    return manifest;
  }
}
