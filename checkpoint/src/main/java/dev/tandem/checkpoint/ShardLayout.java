package dev.tandem.checkpoint;

import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one rank writes and in which order: larger element types first, then by name, without gaps,
 * so that every element is aligned.
 *
 * @param pieces in the order of the file
 * @param bytes of all of them
 */
record ShardLayout(List<Piece> pieces, long bytes) {

  /**
   * A part of one tensor.
   *
   * @param position of its first byte among those of all pieces
   * @param tensor how the rank's tensor lies; see {@link SlicedState.HeldBlock}
   * @param label what no other piece of the layout has: the tensor's name, and a number if several
   *     pieces are of that tensor
   */
  record Piece(Division.Share share, long position, Block tensor, String label) {

    String name() {
      return share.holding().name();
    }

    long bytes() {
      return share.bytes();
    }

    /** What a manifest says of it when it is there. */
    Part.NamedPiece stored(
        String shard, long position, long stored, Compression compression, long checksum) {
      return new Part.NamedPiece(
          name(),
          share.holding().dtype(),
          share.holding().whole(),
          new Manifest.Piece(
              share.block(), shard, position, stored, bytes(), compression, checksum));
    }
  }

  /** The layout of what a rank writes of its state. */
  static ShardLayout of(List<Division.Share> shares, SlicedState state) {
    Map<String, Map<Block, Block>> tensors = new HashMap<>();
    for (TensorView tensor : state.tree().tensors().values()) {
      Map<Block, Block> blocks = new HashMap<>();
      state.blocks(tensor).forEach(held -> blocks.put(held.block(), held.tensor()));
      tensors.put(tensor.name(), blocks);
    }
    List<Division.Share> sorted =
        shares.stream()
            .sorted(
                Comparator.comparingInt((Division.Share share) -> -share.holding().type().bytes())
                    .thenComparing(share -> share.holding().name()))
            .toList();
    List<Piece> pieces = new ArrayList<>();
    long at = 0;
    int ofTensor = 0;
    for (Division.Share share : sorted) {
      String name = share.holding().name();
      ofTensor = !pieces.isEmpty() && pieces.getLast().name().equals(name) ? ofTensor + 1 : 1;
      Block tensor = tensors.get(name).get(share.holding().block());
      pieces.add(new Piece(share, at, tensor, ofTensor == 1 ? name : name + "#" + ofTensor));
      at += share.bytes();
    }
    return new ShardLayout(List.copyOf(pieces), at);
  }

  /** The memory of a piece within the rank's live tensors, if it lies there in one piece. */
  static Optional<MemorySegment> source(Piece piece, StateTree tree) {
    MemorySegment data = tree.tensors().get(piece.name()).data();
    Block block = piece.share().block();
    if (piece.bytes() == 0) {
      return Optional.of(data.asSlice(0, 0));
    }
    if (!block.isContiguousIn(piece.tensor())) {
      return Optional.empty();
    }
    int elementBytes = piece.share().holding().type().bytes();
    return Optional.of(data.asSlice(block.placeIn(piece.tensor()) * elementBytes, piece.bytes()));
  }

  /** Copies a piece of the rank's live tensors, row by row. */
  static void copy(Piece piece, StateTree tree, MemorySegment to) {
    Block block = piece.share().block();
    block.copy(
        tree.tensors().get(piece.name()).data(),
        piece.tensor(),
        to,
        block,
        piece.share().holding().type().bytes());
  }
}
