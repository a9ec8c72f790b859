package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.Reduction;
import dev.tandem.comm.transport.Board;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Allreduce in shared memory. Small data: everybody shows all of it and reduces for itself, in rank
 * order. Large data, window by window: everybody shows what others own, reduces its own share in
 * rank order straight from the slots of the others, and shows the result. Windows are small enough
 * to stay in the second-level cache.
 *
 * <p>Communication steps: 1 up to {@value #SMALL_BYTES} bytes, else 2 for each window. Bytes
 * written for others to read: S, in either case.
 */
final class AllreduceFlat {

  static final long SMALL_BYTES = 8 << 10;

  private AllreduceFlat() {}

  static void run(
      Team team, Board board, MemorySegment data, int elementBytes, Reduction reduction) {
    if (data.byteSize() <= SMALL_BYTES) {
      runSmall(team, board, data, reduction);
      return;
    }
    for (long from = 0; from < data.byteSize(); from += Board.SLOT_BYTES) {
      long length = Math.min(Board.SLOT_BYTES, data.byteSize() - from);
      Blocks blocks = new Blocks(length, elementBytes, team.size());
      runWindow(team, board, data.asSlice(from, length), blocks, reduction);
    }
  }

  private static void runSmall(Team team, Board board, MemorySegment data, Reduction reduction) {
    board.put(data, 0);
    board.turn();
    List<MemorySegment> inputs = new ArrayList<>(team.size());
    for (int rank = 0; rank < team.size(); rank++) {
      inputs.add(board.slot(rank, 0, data.byteSize()));
    }
    reduction.reduce(inputs, data);
  }

  private static void runWindow(
      Team team, Board board, MemorySegment window, Blocks blocks, Reduction reduction) {
    long start = blocks.offset(team.rank());
    long end = blocks.offset(team.rank() + 1);
    board.put(window.asSlice(0, start), 0);
    board.put(window.asSlice(end), end);
    board.turn();
    MemorySegment mine = window.asSlice(start, end - start);
    List<MemorySegment> inputs = new ArrayList<>(team.size());
    for (int rank = 0; rank < team.size(); rank++) {
      inputs.add(rank == team.rank() ? mine : board.slot(rank, start, end - start));
    }
    reduction.reduce(inputs, mine, board.mine().asSlice(0, end - start));
    board.written(end - start);
    board.turn();
    for (int distance = 1; distance < team.size(); distance++) {
      int rank = team.ahead(distance);
      MemorySegment.copy(
          board.slot(rank, 0, blocks.length(rank)),
          0,
          window,
          blocks.offset(rank),
          blocks.length(rank));
    }
  }

  static Cost cost(long bytes) {
    return bytes <= SMALL_BYTES
        ? new Cost(1, bytes)
        : new Cost(2 * Rounds.pieces(bytes, Board.SLOT_BYTES), bytes);
  }
}
