package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.Reduction;
import dev.tandem.comm.transport.SharedSlots;
import java.lang.foreign.MemorySegment;

/**
 * Allreduce in shared memory. Small data: {@link AllreduceSharedSmall}; else two ranks: {@link
 * AllreduceSharedPair}, more: {@link AllreduceSharedWindowed}. All reduce every element in rank
 * order.
 */
final class AllreduceFlat {

  /** Up to this many bytes every rank reduces for itself. */
  static final long SMALL_BYTES = 8 << 10;

  private AllreduceFlat() {}

  static void run(
      Team team, SharedSlots slots, MemorySegment data, int elementBytes, Reduction reduction) {
    if (data.byteSize() <= SharedSlots.LETTER_BYTES) {
      AllreduceSharedSmall.runLetters(team, slots, data, reduction);
    } else {
      run(team, slots, Parts.of(data), elementBytes, reduction);
    }
  }

  static void run(Team team, SharedSlots slots, Parts data, int elementBytes, Reduction reduction) {
    if (data.bytes() <= SMALL_BYTES) {
      AllreduceSharedSmall.run(team, slots, data, reduction);
    } else if (team.size() == AllreduceSharedPair.RANKS) {
      AllreduceSharedPair.run(team, slots, data, elementBytes, reduction);
    } else {
      AllreduceSharedWindowed.run(team, slots, data, elementBytes, reduction);
    }
  }

  static Cost cost(int ranks, long bytes) {
    if (bytes <= SMALL_BYTES) {
      return AllreduceSharedSmall.cost(bytes);
    }
    return ranks == AllreduceSharedPair.RANKS
        ? AllreduceSharedPair.cost(bytes)
        : AllreduceSharedWindowed.cost(ranks, bytes);
  }
}
