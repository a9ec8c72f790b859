package dev.tandem.checkpoint;

import dev.tandem.core.StateTree;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

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
   */
  record Piece(Division.Share share, long position) {

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

  static ShardLayout of(List<Division.Share> shares) {
    List<Division.Share> sorted =
        shares.stream()
            .sorted(
                Comparator.comparingInt((Division.Share share) -> -share.holding().type().bytes())
                    .thenComparing(share -> share.holding().name()))
            .toList();
    List<Piece> pieces = new ArrayList<>();
    long at = 0;
    for (Division.Share share : sorted) {
      pieces.add(new Piece(share, at));
      at += share.bytes();
    }
    return new ShardLayout(List.copyOf(pieces), at);
  }

  /** The memory of a piece within the rank's live tensors. */
  static MemorySegment source(Piece piece, StateTree tree) {
    return tree.tensors().get(piece.name()).data().asSlice(piece.share().from(), piece.bytes());
  }
}
