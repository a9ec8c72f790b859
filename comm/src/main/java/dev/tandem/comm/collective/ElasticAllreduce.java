package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * Allreduce over logical shards along one fixed tree, so that the bits do not depend on how many
 * ranks hold the shards. Every rank finishes the nodes that its own shards make up: one if the
 * shards are a power of two and divide evenly, else at most 2 log2 of their number. In shared
 * memory it goes on as {@link ElasticSlots}. Else either all ranks get all nodes and each finishes
 * the tree (small data), or every rank gets one block of all nodes, finishes the tree for it, and
 * all collect the blocks. An average divides once, at the end.
 *
 * <p>16-bit floats are rounded at every node: with other rounding points the bits would depend on
 * the ranks. Averages of bytes are made of 32-bit sums, which do not wrap around.
 *
 * <p>Communication steps and bytes, for a rank with m nodes of S bytes and a block of B: in shared
 * memory those of {@link ElasticSlots}; small data, those of an {@link Allgather} of all nodes;
 * else those of {@link AllToAll}, with m (S - B) bytes, and of an {@link Allgather} of the blocks.
 * With one node a rank that is what {@link AllreduceDirect} sends.
 */
public final class ElasticAllreduce {

  /** Up to this many bytes in all nodes, one round is cheaper than two with fewer bytes. */
  private static final long SMALL_BYTES = 32 << 10;

  private final Team team;
  private final ElasticMemory memory;
  private final ElasticPlan plan;
  private final Terms terms;
  private final DType type;
  private final ReduceOp op;
  private final long bytes;

  private ElasticAllreduce(Team team, ElasticPlan plan, DType type, ReduceOp op, long bytes) {
    this.team = team;
    this.memory = team.elastic();
    this.plan = plan;
    this.terms = new Terms(team.reduction(type, Fold.step(op)), memory.kept());
    this.type = type;
    this.op = op;
    this.bytes = bytes;
  }

  /** What is done to a part of the root. */
  interface Finish {
    void apply(MemorySegment part);
  }

  /** Reduces; see {@link Collectives#elasticAllreduce}. */
  public static void run(
      Team team,
      MemorySegment shards,
      int shardCount,
      MemorySegment result,
      DType type,
      ReduceOp op) {
    long held = shardCount < 1 ? 0 : ElasticPlan.runs(shardCount, team.size()).length(team.rank());
    long bytes = result.byteSize();
    if (shardCount < 1 || shards.byteSize() != held * bytes) {
      throw new IllegalArgumentException(
          "rank %d of %d holds %d of %d shards of %d bytes, not %d bytes"
              .formatted(team.rank(), team.size(), held, shardCount, bytes, shards.byteSize()));
    }
    ElasticMemory memory = team.elastic();
    ElasticPlan plan = memory.plan(shardCount);
    if (Fold.needsAllAtOnce(type, op)) {
      MemorySegment wide = memory.wideResult().of(bytes * Integer.BYTES);
      MemorySegment wideShards = memory.wideShards().of(shards.byteSize() * Integer.BYTES);
      widen(shards, wideShards);
      new ElasticAllreduce(team, plan, DType.INT32, op, wide.byteSize()).run(wideShards, wide);
      narrow(wide, result);
    } else {
      new ElasticAllreduce(team, plan, type, op, bytes).run(shards, result);
    }
  }

  private static void widen(MemorySegment shards, MemorySegment wide) {
    for (long i = 0; i < shards.byteSize(); i++) {
      int value = Byte.toUnsignedInt(shards.get(ValueLayout.JAVA_BYTE, i));
      wide.setAtIndex(ValueLayout.JAVA_INT, i, value);
    }
  }

  private static void narrow(MemorySegment wide, MemorySegment result) {
    for (long i = 0; i < result.byteSize(); i++) {
      result.set(ValueLayout.JAVA_BYTE, i, (byte) wide.getAtIndex(ValueLayout.JAVA_INT, i));
    }
  }

  private void run(MemorySegment shards, MemorySegment result) {
    if (bytes == 0) {
      return;
    }
    team.fingerprint(CallFingerprint.of(ElasticAllreduce.class, bytes, type, op));
    if (team.size() == 1) {
      finishOwn(shards, 0, bytes, result);
      divide(result);
    } else if (team.slots().isPresent()) {
      new ElasticSlots(
              team, team.slots().get(), plan, terms, shards, result, type.bytes(), this::divide)
          .run();
    } else if (small(plan, bytes)) {
      runGathered(shards, result);
    } else {
      runByBlocks(shards, result);
    }
  }

  private void runGathered(MemorySegment shards, MemorySegment result) {
    long[] lengths = plan.lengths(bytes);
    MemorySegment finished = memory.outgoing().of(lengths[team.rank()]);
    finishOwn(shards, 0, bytes, finished);
    MemorySegment all = memory.incoming().of(LongStream.of(lengths).sum());
    Allgather.run(team, finished, all, lengths);
    finishTree(all, result);
  }

  private void runByBlocks(MemorySegment shards, MemorySegment result) {
    Blocks blocks = new Blocks(bytes, type.bytes(), team.size());
    long mine = plan.count(team.rank());
    Extents to = new Extents(LongStream.of(blocks.lengths()).map(each -> each * mine).toArray());
    Extents from = new Extents(plan.lengths(blocks.length(team.rank())));
    MemorySegment outgoing = memory.outgoing().of(to.total());
    for (int owner = 0; owner < team.size(); owner++) {
      finishOwn(shards, blocks.offset(owner), blocks.length(owner), to.block(outgoing, owner));
    }
    MemorySegment incoming = memory.incoming().of(from.total());
    AllToAll.run(team, outgoing, to, incoming, from, plan.most() * blocks.longest());
    MemorySegment own = blocks.block(result, team.rank());
    finishTree(incoming, own);
    Allgather.run(team, own, result, blocks.lengths());
  }

  /** Computes a part of the nodes that this rank's shards make up, one node after the other. */
  private void finishOwn(MemorySegment shards, long start, long length, MemorySegment target) {
    int held = plan.held(team.rank());
    MemorySegment[] inputs = new MemorySegment[held];
    long[] offsets = new long[held];
    Arrays.fill(inputs, shards);
    Arrays.setAll(offsets, shard -> shard * bytes + start);
    for (int i = 0; i < plan.own().size(); i++) {
      terms.compute(plan.own().get(i), inputs, offsets, length, target, i * length);
    }
  }

  /** Computes the root of a part of the data from the nodes of all ranks, one after the other. */
  private void finishTree(MemorySegment all, MemorySegment target) {
    MemorySegment[] inputs = new MemorySegment[plan.all()];
    long[] offsets = new long[inputs.length];
    Arrays.fill(inputs, all);
    Arrays.setAll(offsets, node -> node * target.byteSize());
    terms.compute(plan.root(), inputs, offsets, target.byteSize(), target, 0);
    divide(target);
  }

  private void divide(MemorySegment part) {
    if (op == ReduceOp.AVERAGE) {
      team.reduction(type, op).divide(part, plan.shards());
    }
  }

  private static boolean small(ElasticPlan plan, long bytes) {
    return plan.all() * bytes <= SMALL_BYTES;
  }

  /** What it costs a rank. */
  public static Cost cost(
      TeamPosition position, int shardCount, long bytes, DType type, ReduceOp op) {
    if (Fold.needsAllAtOnce(type, op)) {
      return cost(position, shardCount, bytes * Integer.BYTES, DType.INT32, op);
    }
    if (bytes == 0 || position.size() == 1) {
      return Cost.NOTHING;
    }
    ElasticPlan plan = new ElasticPlan(shardCount, position.size(), position.rank());
    if (position.sharedMemory()) {
      return ElasticSlots.cost(plan, position, bytes, type.bytes());
    }
    if (small(plan, bytes)) {
      return Allgather.cost(position, plan.lengths(bytes));
    }
    Blocks blocks = new Blocks(bytes, type.bytes(), position.size());
    long others = bytes - blocks.length(position.rank());
    return new Cost(
            AllToAll.steps(position, plan.most() * blocks.longest()),
            plan.count(position.rank()) * others)
        .then(Allgather.cost(position, blocks.lengths()));
  }
}
