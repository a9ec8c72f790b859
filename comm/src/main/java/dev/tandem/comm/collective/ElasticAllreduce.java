package dev.tandem.comm.collective;

import dev.tandem.comm.collective.CanonicalTree.Node;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Allreduce over logical shards along one fixed tree, so that the bits do not depend on how many
 * ranks hold the shards. Every rank finishes the nodes that its own shards make up: one if the
 * shards are a power of two and divide evenly, else at most 2 log2 of their number. Then either all
 * ranks get all nodes and each finishes the tree (small data), or every rank gets one block of all
 * nodes, finishes the tree for it, and all collect the blocks. An average divides once, at the end.
 *
 * <p>16-bit floats are rounded at every node: with other rounding points the bits would depend on
 * the ranks. Averages of bytes are made of 32-bit sums, which do not wrap around.
 *
 * <p>Communication steps and bytes, for a rank with m nodes of S bytes and a block of B: small
 * data, those of an {@link Allgather} of all nodes; else those of {@link AllToAll}, with m (S - B)
 * bytes, and of an {@link Allgather} of the blocks. With one node a rank that is what {@link
 * AllreduceDirect} sends.
 */
public final class ElasticAllreduce {

  /** Up to so many bytes in all nodes, one round is cheaper than two with fewer bytes. */
  private static final long SMALL_BYTES = 32 << 10;

  private final Team team;
  private final CanonicalTree tree;
  private final Blocks runs;
  private final DType type;
  private final ReduceOp op;
  private final long bytes;
  private final Reduction step;
  private final Arena arena;

  private ElasticAllreduce(
      Team team, int shardCount, DType type, ReduceOp op, long bytes, Arena arena) {
    this.team = team;
    this.tree = new CanonicalTree(shardCount);
    this.runs = runs(shardCount, team.size());
    this.type = type;
    this.op = op;
    this.bytes = bytes;
    this.step = team.reduction(type, Fold.step(op));
    this.arena = arena;
  }

  /** Reduces; see {@link Collectives#elasticAllreduce}. */
  public static void run(
      Team team,
      MemorySegment shards,
      int shardCount,
      MemorySegment result,
      DType type,
      ReduceOp op) {
    long held = shardCount < 1 ? 0 : runs(shardCount, team.size()).length(team.rank());
    long bytes = result.byteSize();
    if (shardCount < 1 || shards.byteSize() != held * bytes) {
      throw new IllegalArgumentException(
          "rank %d of %d holds %d of %d shards of %d bytes, not %d bytes"
              .formatted(team.rank(), team.size(), held, shardCount, bytes, shards.byteSize()));
    }
    try (Arena arena = Arena.ofShared()) {
      if (Fold.needsAllAtOnce(type, op)) {
        MemorySegment wide = arena.allocate(bytes * Integer.BYTES, 64);
        new ElasticAllreduce(team, shardCount, DType.INT32, op, wide.byteSize(), arena)
            .run(widened(shards, arena), wide);
        narrow(wide, result);
      } else {
        new ElasticAllreduce(team, shardCount, type, op, bytes, arena).run(shards, result);
      }
    }
  }

  private static Blocks runs(int shardCount, int ranks) {
    return new Blocks(shardCount, 1, ranks);
  }

  private static MemorySegment widened(MemorySegment shards, Arena arena) {
    MemorySegment wide = arena.allocate(shards.byteSize() * Integer.BYTES, 64);
    for (long i = 0; i < shards.byteSize(); i++) {
      int value = Byte.toUnsignedInt(shards.get(ValueLayout.JAVA_BYTE, i));
      wide.setAtIndex(ValueLayout.JAVA_INT, i, value);
    }
    return wide;
  }

  private static void narrow(MemorySegment wide, MemorySegment result) {
    for (long i = 0; i < result.byteSize(); i++) {
      result.set(ValueLayout.JAVA_BYTE, i, (byte) wide.getAtIndex(ValueLayout.JAVA_INT, i));
    }
  }

  private void run(MemorySegment shards, MemorySegment result) {
    if (small(tree, runs, bytes)) {
      runGathered(shards, result);
    } else {
      runByBlocks(shards, result);
    }
  }

  private void runGathered(MemorySegment shards, MemorySegment result) {
    long[] lengths = nodes(tree, runs, bytes);
    MemorySegment finished = arena.allocate(lengths[team.rank()], 64);
    finishOwn(shards, 0, bytes, finished);
    MemorySegment all = arena.allocate(LongStream.of(lengths).sum(), 64);
    Allgather.run(team, finished, all, lengths);
    finishTree(all, result);
  }

  private void runByBlocks(MemorySegment shards, MemorySegment result) {
    Blocks blocks = new Blocks(bytes, type.bytes(), team.size());
    long[] counts = nodes(tree, runs, 1);
    long mine = counts[team.rank()];
    Extents to = new Extents(LongStream.of(blocks.lengths()).map(each -> each * mine).toArray());
    long block = blocks.length(team.rank());
    Extents from = new Extents(LongStream.of(counts).map(each -> each * block).toArray());
    MemorySegment outgoing = arena.allocate(to.total(), 64);
    for (int owner = 0; owner < team.size(); owner++) {
      finishOwn(shards, blocks.offset(owner), blocks.length(owner), to.block(outgoing, owner));
    }
    MemorySegment incoming = arena.allocate(from.total(), 64);
    team.intend(Intention.of(ElasticAllreduce.class, bytes, type, op));
    AllToAll.run(team, outgoing, to, incoming, from, longest(counts, blocks));
    MemorySegment own = blocks.block(result, team.rank());
    finishTree(incoming, own);
    Allgather.run(team, own, result, blocks.lengths());
  }

  /** Computes a part of the nodes that this rank's shards make up, one node after the other. */
  private void finishOwn(MemorySegment shards, long start, long length, MemorySegment target) {
    int first = (int) runs.offset(team.rank());
    Nodes nodes = new Nodes(step, arena, length);
    List<Node> mine = cover(tree, runs, team.rank());
    for (int i = 0; i < mine.size(); i++) {
      nodes.evaluate(
          mine.get(i),
          node ->
              node.leaf() ? shards.asSlice((node.first() - first) * bytes + start, length) : null,
          target.asSlice(i * length, length));
    }
  }

  /** Computes the root of a part of the data from the nodes of all ranks, one after the other. */
  private void finishTree(MemorySegment all, MemorySegment target) {
    Map<Node, MemorySegment> known = new HashMap<>();
    long offset = 0;
    for (int rank = 0; rank < runs.ranks(); rank++) {
      for (Node node : cover(tree, runs, rank)) {
        known.put(node, all.asSlice(offset, target.byteSize()));
        offset += target.byteSize();
      }
    }
    new Nodes(step, arena, target.byteSize()).evaluate(tree.root(), known::get, target);
    if (op == ReduceOp.AVERAGE) {
      team.reduction(type, op).divide(target, tree.shards());
    }
  }

  private static List<Node> cover(CanonicalTree tree, Blocks runs, int rank) {
    return tree.cover((int) runs.offset(rank), (int) runs.offset(rank + 1));
  }

  /** For every rank, how many nodes its shards make up, times the bytes of one. */
  private static long[] nodes(CanonicalTree tree, Blocks runs, long bytes) {
    long[] lengths = new long[runs.ranks()];
    for (int rank = 0; rank < lengths.length; rank++) {
      lengths[rank] = cover(tree, runs, rank).size() * bytes;
    }
    return lengths;
  }

  private static boolean small(CanonicalTree tree, Blocks runs, long bytes) {
    return runs.ranks() == 1 || LongStream.of(nodes(tree, runs, bytes)).sum() <= SMALL_BYTES;
  }

  private static long longest(long[] counts, Blocks blocks) {
    return LongStream.of(counts).max().orElseThrow() * blocks.longest();
  }

  /** What it costs a rank. */
  public static Cost cost(Place place, int shardCount, long bytes, DType type, ReduceOp op) {
    if (Fold.needsAllAtOnce(type, op)) {
      return cost(place, shardCount, bytes * Integer.BYTES, DType.INT32, op);
    }
    CanonicalTree tree = new CanonicalTree(shardCount);
    Blocks runs = runs(shardCount, place.size());
    if (small(tree, runs, bytes)) {
      return Allgather.cost(place, nodes(tree, runs, bytes));
    }
    Blocks blocks = new Blocks(bytes, type.bytes(), place.size());
    long[] counts = nodes(tree, runs, 1);
    long others = bytes - blocks.length(place.rank());
    return new Cost(AllToAll.steps(place, longest(counts, blocks)), counts[place.rank()] * others)
        .then(Allgather.cost(place, blocks.lengths()));
  }

  /** Where the value of a node lies, or null if it must be computed from its halves. */
  private interface Values {
    MemorySegment of(Node node);
  }

  /** Computes nodes from the bottom up, with one buffer for each depth. */
  private static final class Nodes {

    private final Reduction step;
    private final Arena arena;
    private final long bytes;
    private final Map<Integer, MemorySegment> buffers = new HashMap<>();

    Nodes(Reduction step, Arena arena, long bytes) {
      this.step = step;
      this.arena = arena;
      this.bytes = bytes;
    }

    void evaluate(Node node, Values values, MemorySegment target) {
      evaluate(node, values, target, 0);
    }

    private void evaluate(Node node, Values values, MemorySegment target, int depth) {
      MemorySegment value = values.of(node);
      if (value != null) {
        target.copyFrom(value);
        return;
      }
      MemorySegment left = values.of(node.left());
      if (left == null) {
        left = target;
        evaluate(node.left(), values, target, depth + 1);
      }
      MemorySegment right = values.of(node.right());
      if (right == null) {
        right = buffers.computeIfAbsent(depth, key -> arena.allocate(bytes, 64));
        evaluate(node.right(), values, right, depth + 1);
      }
      step.reduce(List.of(left, right), target);
    }
  }
}
