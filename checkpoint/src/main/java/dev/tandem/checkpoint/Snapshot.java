package dev.tandem.checkpoint;

import dev.tandem.core.StateTree;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What one rank will write of a state.
 *
 * @param holders a number that tells whether the ranks divided the same holdings
 * @param pieces the bytes of the layout's pieces
 * @param image all of them without a gap, if they lie so in memory, and what fills the last block
 * @param filled done when the bytes are there, see {@link #await}
 */
record Snapshot(
    long step,
    Map<String, String> values,
    int holders,
    ShardLayout layout,
    List<MemorySegment> pieces,
    Optional<MemorySegment> image,
    CompletableFuture<Void> filled) {

  /** The live tensors, which must not change until they are written. */
  static Snapshot live(long step, StateTree tree, int holders, ShardLayout layout) {
    List<MemorySegment> pieces =
        layout.pieces().stream().map(piece -> ShardLayout.source(piece, tree)).toList();
    return new Snapshot(
        step,
        tree.values(),
        holders,
        layout,
        pieces,
        Optional.empty(),
        CompletableFuture.completedFuture(null));
  }

  /**
   * A copy in memory of its own, which is not there before it is {@linkplain #fill filled}.
   *
   * @param memory whole blocks, at least as long as the layout; belongs to the snapshot as long as
   *     it is used
   */
  static Snapshot in(
      MemorySegment memory, long step, StateTree tree, int holders, ShardLayout layout) {
    List<MemorySegment> pieces =
        layout.pieces().stream()
            .map(piece -> memory.asSlice(piece.position(), piece.bytes()))
            .toList();
    MemorySegment image = memory.asSlice(0, SnapshotBuffers.padded(layout.bytes()));
    return new Snapshot(
        step,
        tree.values(),
        holders,
        layout,
        pieces,
        Optional.of(image),
        new CompletableFuture<>());
  }

  /** Copies the live tensors, which may change when this returns. */
  void fill(StateTree tree, CopyThreads threads) {
    try {
      List<CopyThreads.Copy> copies = new ArrayList<>();
      for (int i = 0; i < pieces.size(); i++) {
        MemorySegment live = ShardLayout.source(layout.pieces().get(i), tree);
        copies.add(new CopyThreads.Copy(live, pieces.get(i)));
      }
      threads.copy(copies);
      filled.complete(null);
    } catch (RuntimeException e) {
      filled.completeExceptionally(e);
      throw e;
    }
  }

  /** Returns when the bytes are there; who only wants to know what they will be need not wait. */
  void await() {
    var _ = filled.join();
  }
}
