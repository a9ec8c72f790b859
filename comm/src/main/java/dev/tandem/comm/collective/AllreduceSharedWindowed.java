package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.Reduction;
import dev.tandem.comm.transport.SharedSlots;
import java.lang.foreign.MemorySegment;

/**
 * Allreduce in shared memory with the arithmetic shared: every window is cut into one block a rank;
 * everybody shows the blocks that others own, reduces its own in rank order straight from the slots
 * of the others, and shows the result together with the next window.
 *
 * <p>Communication steps: 1 for each window, and 1 for the last results. Bytes written for others
 * to read: S.
 */
final class AllreduceSharedWindowed {

  private AllreduceSharedWindowed() {}

  static void run(Team team, SharedSlots slots, Parts data, int elementBytes, Reduction reduction) {
    new Job(team, slots, data, elementBytes, reduction).run();
  }

  /** A slot holds a window and, after it, the result of a block of the window before. */
  static long windowBytes(int ranks) {
    return SharedSlots.pieceBytes(ranks, ranks + 1) * ranks;
  }

  static Cost cost(int ranks, long bytes) {
    return new Cost(Rounds.pieces(bytes, windowBytes(ranks)) + 1, bytes);
  }

  private static final class Job {

    private final Team team;
    private final SharedSlots slots;
    private final Parts data;
    private final int elementBytes;
    private final Reduction reduction;
    private final long window;
    private final MemorySegment[] inputs;
    private final long[] offsets;

    Job(Team team, SharedSlots slots, Parts data, int elementBytes, Reduction reduction) {
      this.team = team;
      this.slots = slots;
      this.data = data;
      this.elementBytes = elementBytes;
      this.reduction = reduction;
      this.window = windowBytes(team.size());
      this.inputs = new MemorySegment[team.size()];
      this.offsets = new long[team.size()];
    }

    void run() {
      show(0);
      slots.arrive();
      for (long from = 0; from < data.bytes(); from += window) {
        slots.await();
        reduce(from);
        if (from + window < data.bytes()) {
          show(from + window);
        }
        slots.arrive();
        if (from > 0) {
          takeResults(from - window);
        }
      }
      slots.await();
      long last = (data.bytes() - 1) / window * window;
      takeResults(last);
    }

    private Blocks blocks(long from) {
      return new Blocks(Math.min(window, data.bytes() - from), elementBytes, team.size());
    }

    /** Shows the blocks that others own. */
    private void show(long from) {
      Blocks blocks = blocks(from);
      long start = blocks.offset(team.rank());
      long end = blocks.offset(team.rank() + 1);
      data.copyTo(from, start, slots.mine(), 0);
      data.copyTo(from + end, blocks.bytes() - end, slots.mine(), end);
      slots.written(blocks.bytes() - (end - start));
    }

    /** Reduces this rank's own block of the window that all show, and shows the result next. */
    private void reduce(long from) {
      Blocks blocks = blocks(from);
      long start = blocks.offset(team.rank());
      long length = blocks.length(team.rank());
      for (int rank = 0; rank < inputs.length; rank++) {
        if (rank != team.rank()) {
          inputs[rank] = slots.slot(rank, start, length);
        }
      }
      MemorySegment result = slots.mine().asSlice(window);
      data.walk(
          from + start,
          length,
          (tensor, at, distance, bytes) -> {
            for (int rank = 0; rank < inputs.length; rank++) {
              offsets[rank] = rank == team.rank() ? at : distance;
            }
            inputs[team.rank()] = tensor;
            reduction.reduce(inputs, offsets, bytes, tensor, at, result, distance);
          });
      slots.written(length);
    }

    /** Takes the results that the others show after the window. */
    private void takeResults(long from) {
      Blocks blocks = blocks(from);
      for (int distance = 1; distance < team.size(); distance++) {
        int rank = team.ahead(distance);
        long length = blocks.length(rank);
        data.copyFrom(slots.slot(rank, window, length), 0, from + blocks.offset(rank), length);
      }
    }
  }
}
