package dev.tandem.comm.collective;

import dev.tandem.comm.collective.ElasticPlan.Term;
import dev.tandem.comm.transport.SharedSlots;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Elastic allreduce in shared memory, window by window. Everybody shows the nodes that it can
 * finish alone. Two ranks, and any number with small data, then each compute the whole root; else
 * every rank computes one block of it and shows that together with the next window.
 *
 * <p>Communication steps: 1 for each window, and 1 more where blocks are shown. Bytes written for
 * others to read, by a rank with m nodes: m S, and its blocks where they are shown.
 */
final class ElasticSlots {

  private final Team team;
  private final SharedSlots slots;
  private final ElasticPlan plan;
  private final Terms terms;
  private final MemorySegment shards;
  private final MemorySegment result;
  private final ElasticAllreduce.Finish finish;
  private final int elementBytes;
  private final long bytes;
  private final MemorySegment[] held;
  private final long[] heldOffsets;
  private final MemorySegment[] nodes;
  private final long[] nodeOffsets;

  /**
   * @param finish what is done to the root
   */
  ElasticSlots(
      Team team,
      SharedSlots slots,
      ElasticPlan plan,
      Terms terms,
      MemorySegment shards,
      MemorySegment result,
      int elementBytes,
      ElasticAllreduce.Finish finish) {
    this.team = team;
    this.slots = slots;
    this.plan = plan;
    this.terms = terms;
    this.shards = shards;
    this.result = result;
    this.elementBytes = elementBytes;
    this.finish = finish;
    this.bytes = result.byteSize();
    this.held = new MemorySegment[plan.held(team.rank())];
    this.heldOffsets = new long[held.length];
    this.nodes = new MemorySegment[plan.all()];
    this.nodeOffsets = new long[nodes.length];
  }

  /** Reduces at least one byte. */
  void run() {
    if (plan.most() * bytes <= SharedSlots.LETTER_BYTES) {
      runLetters();
    } else if (shows(plan, team.size(), bytes)) {
      runShown();
    } else {
      runShared();
    }
  }

  private static boolean shows(ElasticPlan plan, int ranks, long bytes) {
    return ranks <= 2 || plan.most() * bytes <= AllreduceFlat.SMALL_BYTES;
  }

  private static long shownWindow(ElasticPlan plan, int ranks) {
    return SharedSlots.pieceBytes(ranks, plan.most());
  }

  /** Of every rank, a slot holds its nodes of a window and its block of the window before. */
  private static long sharedWindow(ElasticPlan plan, int ranks) {
    return SharedSlots.pieceBytes(ranks, plan.most() * ranks + 1) * ranks;
  }

  static Cost cost(ElasticPlan plan, TeamPosition place, long bytes, int elementBytes) {
    long written = plan.count(place.rank()) * bytes;
    int ranks = place.size();
    if (shows(plan, ranks, bytes)) {
      return new Cost(Rounds.pieces(bytes, shownWindow(plan, ranks)), written);
    }
    long window = sharedWindow(plan, ranks);
    for (long from = 0; from < bytes; from += window) {
      written +=
          new Blocks(Math.min(window, bytes - from), elementBytes, ranks).length(place.rank());
    }
    return new Cost(Rounds.pieces(bytes, window) + 1, written);
  }

  private void runLetters() {
    int own = plan.count(team.rank());
    MemorySegment mine = team.scratch(own * bytes);
    finishOwn(0, bytes, mine, bytes);
    slots.putLetter(mine);
    slots.turn();
    int node = 0;
    for (int rank = 0; rank < team.size(); rank++) {
      boolean me = rank == team.rank();
      long letter = me ? 0 : slots.letter(rank, plan.count(rank) * bytes);
      for (int i = 0; i < plan.count(rank); i++) {
        nodes[node] = me ? mine : slots.letters();
        nodeOffsets[node++] = letter + i * bytes;
      }
    }
    terms.compute(plan.root(), nodes, nodeOffsets, bytes, result, 0);
    finish.apply(result);
  }

  private void runShown() {
    long window = shownWindow(plan, team.size());
    show(0, window);
    slots.arrive();
    for (long from = 0; from < bytes; from += window) {
      slots.await();
      long length = Math.min(window, bytes - from);
      collect(0, length, window);
      if (from + window < bytes) {
        show(from + window, window);
        slots.arrive();
      }
      terms.compute(plan.root(), nodes, nodeOffsets, length, result, from);
      finish.apply(result.asSlice(from, length));
    }
  }

  private void runShared() {
    long window = sharedWindow(plan, team.size());
    show(0, window);
    slots.arrive();
    for (long from = 0; from < bytes; from += window) {
      slots.await();
      computeBlock(from, window);
      if (from + window < bytes) {
        show(from + window, window);
      }
      slots.arrive();
      if (from > 0) {
        takeBlocks(from - window, window);
      }
    }
    slots.await();
    takeBlocks((bytes - 1) / window * window, window);
  }

  /** Writes this rank's nodes of a window, one after the other. */
  private void show(long from, long window) {
    long length = Math.min(window, bytes - from);
    finishOwn(from, length, slots.mine(), window);
    slots.written(plan.count(team.rank()) * length);
  }

  /** Computes a part of the nodes that this rank's shards make up. */
  private void finishOwn(long from, long length, MemorySegment target, long distance) {
    for (int shard = 0; shard < held.length; shard++) {
      held[shard] = shards;
      heldOffsets[shard] = shard * bytes + from;
    }
    List<Term> own = plan.own();
    for (int i = 0; i < own.size(); i++) {
      terms.compute(own.get(i), held, heldOffsets, length, target, i * distance);
    }
  }

  /** Finds the nodes of all ranks that were shown, from a place in the window on. */
  private void collect(long start, long length, long window) {
    int node = 0;
    for (int rank = 0; rank < team.size(); rank++) {
      for (int i = 0; i < plan.count(rank); i++) {
        nodes[node++] = slots.slot(rank, i * window + start, length);
      }
    }
  }

  private Blocks blocks(long from, long window) {
    return new Blocks(Math.min(window, bytes - from), elementBytes, team.size());
  }

  /** Computes this rank's block of the window that all show, and shows it next. */
  private void computeBlock(long from, long window) {
    Blocks blocks = blocks(from, window);
    long start = blocks.offset(team.rank());
    long length = blocks.length(team.rank());
    collect(start, length, window);
    MemorySegment block = result.asSlice(from + start, length);
    terms.compute(plan.root(), nodes, nodeOffsets, length, block, 0);
    finish.apply(block);
    slots.put(block, plan.most() * window);
  }

  /** Takes the blocks that the others show after their nodes. */
  private void takeBlocks(long from, long window) {
    Blocks blocks = blocks(from, window);
    for (int distance = 1; distance < team.size(); distance++) {
      int rank = team.ahead(distance);
      long length = blocks.length(rank);
      MemorySegment block = slots.slot(rank, plan.most() * window, length);
      MemorySegment.copy(block, 0, result, from + blocks.offset(rank), length);
    }
  }
}
