package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.Reduction;
import dev.tandem.comm.transport.Board;
import java.lang.foreign.MemorySegment;

/**
 * Allreduce in shared memory, everybody for itself: window by window, everybody shows its data and
 * reduces that of all, in rank order. The next window is shown before this one is reduced, so
 * nobody waits for another's arithmetic. Windows are small enough to stay in the second-level
 * cache. For two ranks as few bytes pass from core to core as in {@link AllreduceShared}, with half
 * as many steps.
 *
 * <p>Communication steps: 1 for each window. Bytes written for others to read: S.
 */
final class AllreduceShown {

  /** Bytes of a window: whole cache lines, so whole elements. */
  static final long WINDOW_BYTES = Board.SLOT_BYTES;

  private AllreduceShown() {}

  static void run(Team team, Board board, Parts data, Reduction reduction) {
    long bytes = data.bytes();
    if (bytes == 0) {
      return;
    }
    show(board, data, 0);
    Shown shown = new Shown(team, board, data, reduction);
    for (long from = 0; from < bytes; from += WINDOW_BYTES) {
      board.await();
      shown.collect(Math.min(WINDOW_BYTES, bytes - from));
      if (from + WINDOW_BYTES < bytes) {
        show(board, data, from + WINDOW_BYTES);
      }
      shown.reduce(from, Math.min(WINDOW_BYTES, bytes - from));
    }
  }

  /** Data that fits beside the sign of arrival. */
  static void runLetters(Team team, Board board, MemorySegment data, Reduction reduction) {
    long bytes = data.byteSize();
    if (bytes == 0) {
      return;
    }
    board.putLetter(data);
    board.turn();
    MemorySegment[] inputs = new MemorySegment[team.size()];
    long[] offsets = new long[team.size()];
    for (int rank = 0; rank < inputs.length; rank++) {
      boolean mine = rank == team.rank();
      inputs[rank] = mine ? data : board.letters();
      offsets[rank] = mine ? 0 : board.letter(rank, bytes);
    }
    reduction.reduce(inputs, offsets, bytes, data, 0);
  }

  private static void show(Board board, Parts data, long from) {
    long length = Math.min(WINDOW_BYTES, data.bytes() - from);
    data.copyTo(from, length, board.mine(), 0);
    board.written(length);
    board.arrive();
  }

  /** The window that all have shown. */
  private static final class Shown {

    private final Team team;
    private final Board board;
    private final Parts data;
    private final Reduction reduction;
    private final MemorySegment[] inputs;
    private final long[] offsets;

    Shown(Team team, Board board, Parts data, Reduction reduction) {
      this.team = team;
      this.board = board;
      this.data = data;
      this.reduction = reduction;
      this.inputs = new MemorySegment[team.size()];
      this.offsets = new long[team.size()];
    }

    void collect(long length) {
      for (int rank = 0; rank < inputs.length; rank++) {
        if (rank != team.rank()) {
          inputs[rank] = board.slot(rank, 0, length);
        }
      }
    }

    void reduce(long from, long length) {
      data.walk(
          from,
          length,
          (tensor, at, distance, bytes) -> {
            for (int rank = 0; rank < inputs.length; rank++) {
              offsets[rank] = rank == team.rank() ? at : distance;
            }
            inputs[team.rank()] = tensor;
            reduction.reduce(inputs, offsets, bytes, tensor, at);
          });
    }
  }

  static Cost cost(long bytes) {
    return new Cost(Rounds.pieces(bytes, WINDOW_BYTES), bytes);
  }
}
