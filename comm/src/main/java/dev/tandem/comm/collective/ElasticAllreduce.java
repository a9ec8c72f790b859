package dev.tandem.comm.collective;

import dev.tandem.comm.collective.CanonicalTree.Node;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Allreduce over logical shards along one fixed tree, so that the bits do not depend on how many
 * ranks hold the shards. Every rank finishes the nodes that its own shards make up (at most 2 log2
 * of their number), all ranks exchange those (ragged {@link Allgather}), and each finishes the
 * tree. An average divides once, at the end.
 *
 * <p>16-bit floats are rounded at every node: with other rounding points the bits would depend on
 * the ranks.
 *
 * <p>Communication steps and bytes: those of the allgather of all finished nodes, at most 2 log2(k)
 * S for a rank with k shards of S bytes.
 */
public final class ElasticAllreduce {

  private ElasticAllreduce() {}

  /** Reduces; see {@link Collectives#elasticAllreduce}. */
  public static void run(
      Team team,
      MemorySegment shards,
      int shardCount,
      MemorySegment result,
      DType type,
      ReduceOp op) {
    Blocks runs = new Blocks(shardCount, 1, team.size());
    int first = (int) runs.offset(team.rank());
    long held = runs.length(team.rank());
    long bytes = result.byteSize();
    if (shardCount < 1 || shards.byteSize() != held * bytes) {
      throw new IllegalArgumentException(
          "rank %d of %d holds %d of %d shards of %d bytes, not %d bytes"
              .formatted(team.rank(), team.size(), held, shardCount, bytes, shards.byteSize()));
    }
    CanonicalTree tree = new CanonicalTree(shardCount);
    ReduceOp step = op == ReduceOp.AVERAGE ? ReduceOp.SUM : op;
    try (Arena arena = Arena.ofShared()) {
      Fold fold = new Fold(team.reduction(type, step), bytes, arena);
      List<Node> mine = tree.cover(first, (int) (first + held));
      MemorySegment finished = arena.allocate(mine.size() * bytes, 64);
      for (int i = 0; i < mine.size(); i++) {
        fold.evaluate(
            mine.get(i),
            node -> node.leaf() ? shards.asSlice((node.first() - first) * bytes, bytes) : null,
            finished.asSlice(i * bytes, bytes));
      }
      long[] lengths = lengths(tree, runs, bytes);
      MemorySegment all = arena.allocate(new Extents(lengths).total(), 64);
      Allgather.run(team, finished, all, lengths);
      Map<Node, MemorySegment> known = known(tree, runs, all, bytes);
      fold.evaluate(tree.root(), known::get, result);
      if (op == ReduceOp.AVERAGE) {
        team.reduction(type, op).divide(result, shardCount);
      }
    }
  }

  private static long[] lengths(CanonicalTree tree, Blocks runs, long bytes) {
    long[] lengths = new long[runs.ranks()];
    for (int rank = 0; rank < runs.ranks(); rank++) {
      lengths[rank] = cover(tree, runs, rank).size() * bytes;
    }
    return lengths;
  }

  private static List<Node> cover(CanonicalTree tree, Blocks runs, int rank) {
    return tree.cover((int) runs.offset(rank), (int) runs.offset(rank + 1));
  }

  private static Map<Node, MemorySegment> known(
      CanonicalTree tree, Blocks runs, MemorySegment all, long bytes) {
    Map<Node, MemorySegment> known = new HashMap<>();
    long offset = 0;
    for (int rank = 0; rank < runs.ranks(); rank++) {
      for (Node node : cover(tree, runs, rank)) {
        known.put(node, all.asSlice(offset, bytes));
        offset += bytes;
      }
    }
    return known;
  }

  /** What it costs a rank. */
  public static Cost cost(Place place, int shardCount, long bytes) {
    Blocks runs = new Blocks(shardCount, 1, place.size());
    return Allgather.cost(place, lengths(new CanonicalTree(shardCount), runs, bytes));
  }

  /** Where the value of a node lies, or null if it must be computed from its halves. */
  private interface Values {
    MemorySegment of(Node node);
  }

  /** Computes nodes from the bottom up, with one buffer for each depth. */
  private record Fold(Reduction reduction, long bytes, Arena arena) {

    void evaluate(Node node, Values values, MemorySegment target) {
      MemorySegment value = values.of(node);
      if (value != null) {
        target.copyFrom(value);
        return;
      }
      evaluate(node.left(), values, target);
      MemorySegment right = values.of(node.right());
      if (right == null) {
        right = arena.allocate(bytes, 64);
        evaluate(node.right(), values, right);
      }
      reduction.reduce(List.of(target, right), target);
    }
  }
}
