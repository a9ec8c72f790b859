package dev.tandem.checkpoint;

import dev.tandem.core.StateTree;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one rank will write of a state.
 *
 * @param holders a number that tells whether the ranks divided the same holdings
 * @param pieces the bytes of the layout's pieces
 * @param image all of them without a gap, if they lie so in memory, and what fills the last block
 */
record Snapshot(
    long step,
    Map<String, String> values,
    int holders,
    ShardLayout layout,
    List<MemorySegment> pieces,
    Optional<MemorySegment> image) {

  /** The live tensors, which must not change until they are written; copies where they must be. */
  static Snapshot live(long step, StateTree tree, int holders, ShardLayout layout) {
    List<MemorySegment> pieces =
        layout.pieces().stream()
            .map(piece -> ShardLayout.source(piece, tree).orElseGet(() -> packed(piece, tree)))
            .toList();
    return new Snapshot(step, tree.values(), holders, layout, pieces, Optional.empty());
  }

  private static MemorySegment packed(ShardLayout.Piece piece, StateTree tree) {
    MemorySegment memory = Arena.ofAuto().allocate(piece.bytes());
    ShardLayout.copy(piece, tree, memory);
    return memory;
  }

  /**
   * A copy in memory of its own.
   *
   * @param memory whole blocks, at least as long as the layout; belongs to the snapshot as long as
   *     it is used
   */
  static Snapshot copy(
      long step,
      StateTree tree,
      int holders,
      ShardLayout layout,
      MemorySegment memory,
      CopyThreads threads) {
    List<CopyThreads.Copy> copies = new ArrayList<>();
    List<MemorySegment> pieces = new ArrayList<>();
    for (ShardLayout.Piece piece : layout.pieces()) {
      MemorySegment copied = memory.asSlice(piece.position(), piece.bytes());
      ShardLayout.source(piece, tree)
          .ifPresentOrElse(
              source -> copies.add(new CopyThreads.Copy(source, copied)),
              () -> ShardLayout.copy(piece, tree, copied));
      pieces.add(copied);
    }
    threads.copy(copies);
    MemorySegment image = memory.asSlice(0, SnapshotBuffers.padded(layout.bytes()));
    return new Snapshot(
        step, tree.values(), holders, layout, List.copyOf(pieces), Optional.of(image));
  }
}
