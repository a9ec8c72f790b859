package dev.tandem.checkpoint;

import com.fasterxml.jackson.core.type.TypeReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one rank reports when its shard is on the disk, or why it is not.
 *
 * @param failure empty if all went well
 * @param holders see {@link Snapshot}
 * @param shards that its pieces lie in
 */
record Part(
    String failure, int holders, Map<String, Manifest.Shard> shards, List<NamedPiece> pieces) {

  static final TypeReference<Part> TYPE = new TypeReference<>() {};

  /** A piece and the tensor that it belongs to. */
  record NamedPiece(String name, String dtype, List<Long> whole, Manifest.Piece piece) {}

  static Part failed(String reason) {
    return new Part(reason, 0, Map.of(), List.of());
  }

  /** The manifest of a checkpoint of these parts, one for each rank. */
  static Manifest manifest(long step, Map<String, String> values, List<Part> parts) {
    Map<String, Manifest.Shard> shards = new TreeMap<>();
    Map<String, Manifest.Tensor> tensors = new TreeMap<>();
    for (Part part : parts) {
      shards.putAll(part.shards());
      for (NamedPiece named : part.pieces()) {
        Manifest.Tensor before = tensors.get(named.name());
        List<Manifest.Piece> pieces = new ArrayList<>(before == null ? List.of() : before.pieces());
        pieces.add(named.piece());
        tensors.put(named.name(), new Manifest.Tensor(named.dtype(), named.whole(), pieces));
      }
    }
    return new Manifest(Manifest.FORMAT, 0, step, parts.size(), values, shards, tensors);
  }
}
