package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.Reduction;
import dev.tandem.comm.transport.Board;
import java.lang.foreign.MemorySegment;

/**
 * Allreduce in shared memory. Small data: {@link AllreduceShown}; else two ranks: {@link
 * AllreduceLent}, more: {@link AllreduceShared}. All reduce every element in rank order.
 */
final class AllreduceFlat {

  /** Up to so many bytes everybody reduces for itself. */
  static final long SMALL_BYTES = 8 << 10;

  private AllreduceFlat() {}

  static void run(
      Team team, Board board, MemorySegment data, int elementBytes, Reduction reduction) {
    if (data.byteSize() <= Board.LETTER_BYTES) {
      AllreduceShown.runLetters(team, board, data, reduction);
    } else {
      run(team, board, Parts.of(data), elementBytes, reduction);
    }
  }

  static void run(Team team, Board board, Parts data, int elementBytes, Reduction reduction) {
    if (data.bytes() <= SMALL_BYTES) {
      AllreduceShown.run(team, board, data, reduction);
    } else if (team.size() == AllreduceLent.RANKS) {
      AllreduceLent.run(team, board, data, elementBytes, reduction);
    } else {
      AllreduceShared.run(team, board, data, elementBytes, reduction);
    }
  }

  static Cost cost(int ranks, long bytes) {
    if (bytes <= SMALL_BYTES) {
      return AllreduceShown.cost(bytes);
    }
    return ranks == AllreduceLent.RANKS
        ? AllreduceLent.cost(bytes)
        : AllreduceShared.cost(ranks, bytes);
  }
}
