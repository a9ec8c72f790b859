package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.Reduction;
import dev.tandem.comm.transport.SharedSlots;
import java.lang.foreign.MemorySegment;

/**
 * Allreduce of two ranks in shared memory. Every window is cut into two blocks; each rank lends the
 * other's block to it in its own slot, reduces its own block there where the other has lent it, so
 * that the other finds the result in its own slot, and takes back what it has lent.
 *
 * <p>{@code Note [lines that come back]}: what takes time is that cache lines change from core to
 * core. Where everybody shows its data and reads the other's ({@link AllreduceSharedSmall}), every
 * byte of the data costs two such changes: the reader fetches the line, and the writer of the next
 * window takes it back for itself. Here a byte travels in one slot only, there and back, and who
 * takes back the result has the line for the next window; each byte is added once instead of twice,
 * too. 1 MiB takes two thirds of the time.
 *
 * <p>Communication steps: 1 for each window, and 1 for the last results. Bytes written for others
 * to read: S.
 */
final class AllreduceSharedPair {

  static final int RANKS = 2;

  /** Bytes of a window: half of it fills half of a slot, which has left the first-level cache. */
  static final long WINDOW_BYTES = SharedSlots.slotBytes(RANKS);

  private AllreduceSharedPair() {}

  static void run(Team team, SharedSlots slots, Parts data, int elementBytes, Reduction reduction) {
    new Job(team, slots, data, elementBytes, reduction).run();
  }

  static Cost cost(long bytes) {
    return new Cost(Rounds.pieces(bytes, WINDOW_BYTES) + 1, bytes);
  }

  private static final class Job {

    private final SharedSlots slots;
    private final Parts data;
    private final int elementBytes;
    private final Reduction reduction;
    private final int me;
    private final int other;
    private final MemorySegment[] inputs = new MemorySegment[RANKS];
    private final long[] offsets = new long[RANKS];

    Job(Team team, SharedSlots slots, Parts data, int elementBytes, Reduction reduction) {
      this.slots = slots;
      this.data = data;
      this.elementBytes = elementBytes;
      this.reduction = reduction;
      this.me = team.rank();
      this.other = team.ahead(1);
    }

    /** The next window is lent before the results of the last are taken: nobody waits for them. */
    void run() {
      long bytes = data.bytes();
      lend(0);
      slots.arrive();
      for (long from = 0; from < bytes; from += WINDOW_BYTES) {
        slots.await();
        reduce(from);
        if (from + WINDOW_BYTES < bytes) {
          lend(from + WINDOW_BYTES);
        }
        slots.arrive();
        if (from > 0) {
          takeBack(from - WINDOW_BYTES);
        }
      }
      slots.await();
      takeBack((bytes - 1) / WINDOW_BYTES * WINDOW_BYTES);
    }

    private Blocks blocks(long from) {
      return new Blocks(Math.min(WINDOW_BYTES, data.bytes() - from), elementBytes, RANKS);
    }

    private void lend(long from) {
      Blocks blocks = blocks(from);
      long length = blocks.length(other);
      data.copyTo(from + blocks.offset(other), length, slots.mine(), 0);
      slots.written(length);
    }

    private void reduce(long from) {
      Blocks blocks = blocks(from);
      long length = blocks.length(me);
      MemorySegment lent = slots.slot(other, 0, length);
      inputs[other] = lent;
      data.walk(
          from + blocks.offset(me),
          length,
          (tensor, at, distance, bytes) -> {
            inputs[me] = tensor;
            offsets[me] = at;
            offsets[other] = distance;
            reduction.reduce(inputs, offsets, bytes, tensor, at, lent, distance);
          });
      slots.written(length);
    }

    /** Of the window before the one that was awaited last. */
    private void takeBack(long from) {
      Blocks blocks = blocks(from);
      long length = blocks.length(other);
      data.copyFrom(slots.returned(length), 0, from + blocks.offset(other), length);
    }
  }
}
