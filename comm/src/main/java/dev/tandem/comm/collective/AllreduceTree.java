package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Allreduce over two binary trees, each of which reduces one half of the data to its root and
 * copies the result back. At most one rank has children in both trees ({@link TreePosition}), so
 * all share the work; the halves go in chunks, and chunks on their way up overlap with those on
 * their way down. For medium data and many ranks, for the depth grows with log2 n only. Level
 * {@code fast}.
 *
 * <p>Communication steps: for each chunk of a half, 2 for each neighbour in its tree. Bytes on the
 * wire: each half once for each neighbour in its tree, which makes at most 2 S, together.
 */
final class AllreduceTree {

  private static final long CHUNK_BYTES = 128 << 10;
  private static final long LEAST_CHUNK_BYTES = 16 << 10;
  private static final int CHUNKS = 8;

  /** This many more chunks may be on their way up: with their size, within what is sent eagerly. */
  private static final int LONGEST_LAG = 6;

  private final Team team;
  private final DType type;
  private final ReduceOp op;
  private final Reduction step;
  private final MemorySegment data;
  private final Blocks halves;
  private final long chunk;
  private final TreePosition[] trees;
  private final MemorySegment scratch;

  private AllreduceTree(Team team, MemorySegment data, DType type, ReduceOp op) {
    this.team = team;
    this.type = type;
    this.op = op;
    this.step = team.reduction(type, Fold.step(op));
    this.data = data;
    this.halves = new Blocks(data.byteSize(), type.bytes(), 2);
    this.chunk = chunkBytes(halves);
    this.trees = trees(team.rank(), team.size());
    this.scratch = team.scratch(chunk);
  }

  static void run(Team team, MemorySegment data, DType type, ReduceOp op) {
    new AllreduceTree(team, data, type, op).run();
  }

  private static TreePosition[] trees(int rank, int ranks) {
    return new TreePosition[] {TreePosition.first(rank, ranks), TreePosition.second(rank, ranks)};
  }

  private static long chunkBytes(Blocks halves) {
    long wanted = (halves.longest() / CHUNKS + 63) / 64 * 64;
    return Math.clamp(wanted, LEAST_CHUNK_BYTES, CHUNK_BYTES);
  }

  /** Note [tree order]: all ranks do the same things in the same order, so nobody waits in vain. */
  private void run() {
    long chunks = Rounds.pieces(halves.longest(), chunk);
    long lag = Math.min(LONGEST_LAG, Rounds.log2Ceiling(team.size()));
    for (long number = 0; number < chunks + lag; number++) {
      for (int tree = 0; tree < 2; tree++) {
        if (number < chunks) {
          up(trees[tree], part(tree, number));
        }
      }
      for (int tree = 0; tree < 2; tree++) {
        if (number >= lag) {
          down(trees[tree], part(tree, number - lag));
        }
      }
    }
  }

  private MemorySegment part(int tree, long number) {
    return halves.piece(data, tree, number * chunk, chunk);
  }

  private void up(TreePosition tree, MemorySegment part) {
    if (part.byteSize() == 0) {
      return;
    }
    MemorySegment theirs = scratch.asSlice(0, part.byteSize());
    for (int child : tree.children()) {
      team.receive(child, theirs);
      step.reduce(List.of(part, theirs), part);
    }
    if (tree.parent().isPresent()) {
      team.send(tree.parent().getAsInt(), part);
    } else {
      Fold.finish(team, type, op, part);
    }
  }

  private void down(TreePosition tree, MemorySegment part) {
    if (part.byteSize() == 0) {
      return;
    }
    if (tree.parent().isPresent()) {
      team.receive(tree.parent().getAsInt(), part);
    }
    for (int child : tree.children()) {
      team.send(child, part);
    }
  }

  static Cost cost(TeamPosition position, long bytes, DType type) {
    Blocks halves = new Blocks(bytes, type.bytes(), 2);
    long chunk = chunkBytes(halves);
    TreePosition[] trees = trees(position.rank(), position.size());
    Cost cost = Cost.NOTHING;
    for (int tree = 0; tree < 2; tree++) {
      long chunks = Rounds.pieces(halves.length(tree), chunk);
      int neighbours = trees[tree].neighbours();
      cost = cost.then(new Cost(2L * neighbours * chunks, neighbours * halves.length(tree)));
    }
    return cost;
  }
}
