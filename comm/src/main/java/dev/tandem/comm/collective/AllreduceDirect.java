package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;

/**
 * Allreduce of large data over messages: every rank owns one block, gets it from all others,
 * reduces it in order and sends the result to all. As many bytes as a ring, but every element is
 * reduced in the same order whatever its place. Long blocks go in rounds that overlap.
 *
 * <p>Communication steps: 2 (n - 1) in each of its rounds. Bytes on the wire: a rank with a block
 * of B bytes sends (S - B) + (n - 1) B, about 2 S (n - 1) / n.
 */
final class AllreduceDirect {

  private AllreduceDirect() {}

  static void run(Team team, MemorySegment data, DType type, ReduceOp op) {
    Blocks blocks = new Blocks(data.byteSize(), type.bytes(), team.size());
    long piece = DirectRound.pieceBytes(team.size());
    new DirectRounds(team, Fold.inOrder(team, type, op))
        .run(
            rounds(blocks),
            Math.min(piece, blocks.longest()),
            new DirectRounds.Source() {
              @Override
              public DirectRound.Pieces prepare(long round) {
                return owner -> blocks.piece(data, owner, round * piece, piece);
              }

              @Override
              public void complete(long round) {}
            });
  }

  private static long rounds(Blocks blocks) {
    return Rounds.pieces(blocks.longest(), DirectRound.pieceBytes(blocks.ranks()));
  }

  static Cost cost(TeamPosition position, long bytes, DType type) {
    int ranks = position.size();
    Blocks blocks = new Blocks(bytes, type.bytes(), ranks);
    long mine = blocks.length(position.rank());
    return new Cost(2L * (ranks - 1) * rounds(blocks), bytes - mine + (ranks - 1) * mine);
  }
}
