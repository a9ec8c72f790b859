package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.Reduction;
import dev.tandem.comm.transport.Board;
import java.lang.foreign.MemorySegment;

/**
 * Allreduce in shared memory. Two ranks, and any number with small data: {@link AllreduceShown};
 * else {@link AllreduceShared}. Both reduce every element in rank order.
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
    if (shows(team.size(), data.bytes())) {
      AllreduceShown.run(team, board, data, reduction);
    } else {
      AllreduceShared.run(team, board, data, elementBytes, reduction);
    }
  }

  static Cost cost(int ranks, long bytes) {
    return shows(ranks, bytes) ? AllreduceShown.cost(bytes) : AllreduceShared.cost(ranks, bytes);
  }

  private static boolean shows(int ranks, long bytes) {
    return ranks <= 2 || bytes <= SMALL_BYTES;
  }
}
