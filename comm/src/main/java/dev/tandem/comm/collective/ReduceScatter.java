package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.comm.transport.Board;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Reduces the data of all ranks and leaves each with one block of the result. The first blocks have
 * one element more where it does not come out even.
 *
 * <p>Communication steps: in shared memory 1 for each slot's worth; else n - 1 in each of {@link
 * DirectReduce}'s rounds. Bytes on the wire: a rank with a block of B bytes sends S - B.
 */
public final class ReduceScatter {

  private ReduceScatter() {}

  /**
   * Reduces.
   *
   * @param data unchanged, unless {@code mine} is part of it
   * @param mine this rank's block of the result
   */
  public static void run(
      Team team, MemorySegment data, MemorySegment mine, DType type, ReduceOp op) {
    Blocks blocks = new Blocks(data.byteSize(), type.bytes(), team.size());
    if (mine.byteSize() != blocks.length(team.rank())) {
      throw new IllegalArgumentException(
          "the block of rank %d has %d bytes, not %d"
              .formatted(team.rank(), blocks.length(team.rank()), mine.byteSize()));
    }
    Reduction reduction = team.reduction(type, op);
    if (team.board().isPresent()) {
      team.intend(Intention.of(ReduceScatter.class, data.byteSize(), type, op));
      runFlat(team, team.board().get(), data, blocks, reduction, mine);
      return;
    }
    for (long from = 0; from < blocks.longest(); from += DirectReduce.ROUND_BYTES) {
      MemorySegment target = Extents.piece(mine, from, DirectReduce.ROUND_BYTES);
      DirectReduce.round(team, data, blocks, from, reduction, target);
    }
  }

  /** Every slot holds one piece for each rank. */
  static void runFlat(
      Team team,
      Board board,
      MemorySegment data,
      Blocks blocks,
      Reduction reduction,
      MemorySegment mine) {
    long piece = Board.pieceBytes(team.size());
    for (long from = 0; from < blocks.longest(); from += piece) {
      for (int rank = 0; rank < team.size(); rank++) {
        if (rank != team.rank()) {
          board.put(blocks.piece(data, rank, from, piece), rank * piece);
        }
      }
      board.turn();
      MemorySegment target = Extents.piece(mine, from, piece);
      List<MemorySegment> inputs = new ArrayList<>(team.size());
      for (int rank = 0; rank < team.size(); rank++) {
        inputs.add(
            rank == team.rank()
                ? blocks.piece(data, rank, from, piece)
                : board.slot(rank, team.rank() * piece, target.byteSize()));
      }
      reduction.reduce(inputs, target);
    }
  }

  /** What it costs a rank. */
  public static Cost cost(Place place, long bytes, DType type) {
    Blocks blocks = new Blocks(bytes, type.bytes(), place.size());
    long steps =
        place.sharedMemory()
            ? Rounds.pieces(blocks.longest(), Board.pieceBytes(place.size()))
            : (place.size() - 1) * DirectReduce.rounds(blocks);
    return new Cost(steps, bytes - blocks.length(place.rank()));
  }
}
