package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Allreduce of large data around a ring: the data is cut into one block per rank, and every block
 * goes round twice, first being reduced on its way and then copied. Blocks go in pieces, so that a
 * piece travels while the one before is reduced. Every rank talks to two others only, whatever the
 * number of ranks. The order of reduction depends on the block: level {@code fast}.
 *
 * <p>Communication steps: 2 (n - 1) for each piece of the longest block. Bytes on the wire: a rank
 * sends 2 S less the blocks of the two ranks ahead of it, about 2 S (n - 1) / n.
 */
final class AllreduceRing {

  private static final long PIECE_BYTES = 256 << 10;

  /** Cutting shorter blocks costs more than the overlap gains. */
  private static final long WHOLE_BYTES = 64 << 10;

  private final Team team;
  private final MemorySegment data;
  private final DType type;
  private final ReduceOp op;
  private final Reduction step;
  private final Blocks blocks;
  private final long piece;
  private final long pieces;
  private final MemorySegment scratch;

  private AllreduceRing(Team team, MemorySegment data, DType type, ReduceOp op) {
    this.team = team;
    this.data = data;
    this.type = type;
    this.op = op;
    this.step = team.reduction(type, Fold.step(op));
    this.blocks = new Blocks(data.byteSize(), type.bytes(), team.size());
    this.piece = pieceBytes(blocks);
    this.pieces = Rounds.pieces(blocks.longest(), piece);
    this.scratch = team.scratch(2 * piece);
  }

  static void run(Team team, MemorySegment data, DType type, ReduceOp op) {
    new AllreduceRing(team, data, type, op).run();
  }

  private static long pieceBytes(Blocks blocks) {
    long longest = blocks.longest();
    long half = (longest / 2 + 63) / 64 * 64;
    return longest <= WHOLE_BYTES ? WHOLE_BYTES : Math.min(PIECE_BYTES, half);
  }

  private void run() {
    long messages = 2L * (team.size() - 1) * pieces;
    try (Arrivals arrivals = team.arrivals()) {
      long taken = 0;
      for (long message = 0; message < messages; message++) {
        // A rank hands on what came one time round before.
        while (taken <= message - pieces) {
          take(arrivals, taken++);
        }
        begin(arrivals, message);
        // One message stays under way while the one before is taken in.
        while (taken < message) {
          take(arrivals, taken++);
        }
      }
      while (taken < messages) {
        take(arrivals, taken++);
      }
    }
  }

  private void begin(Arrivals arrivals, long message) {
    MemorySegment incoming = part(message, 1);
    MemorySegment target =
        reduces(message) ? scratch.asSlice((message & 1) * piece, incoming.byteSize()) : incoming;
    arrivals.begin(team.ahead(1), part(message, 0), team.before(1), target);
  }

  private void take(Arrivals arrivals, long message) {
    arrivals.finish(team.before(1));
    if (!reduces(message)) {
      return;
    }
    MemorySegment part = part(message, 1);
    step.reduce(List.of(scratch.asSlice((message & 1) * piece, part.byteSize()), part), part);
    if (message / pieces == team.size() - 2) {
      Fold.finish(team, type, op, part);
    }
  }

  private boolean reduces(long message) {
    return message / pieces < team.size() - 1;
  }

  /**
   * The part of the data that a message carries: this rank's, or that of one that far before it.
   */
  private MemorySegment part(long message, int before) {
    int times = (int) (message / pieces);
    int block = Math.floorMod(team.rank() - times - before, team.size());
    return blocks.piece(data, block, message % pieces * piece, piece);
  }

  static Cost cost(TeamPosition position, long bytes, DType type) {
    int ranks = position.size();
    if (ranks == 1) {
      return Cost.NOTHING;
    }
    Blocks blocks = new Blocks(bytes, type.bytes(), ranks);
    long pieces = Rounds.pieces(blocks.longest(), pieceBytes(blocks));
    return new Cost(
        2L * (ranks - 1) * pieces,
        2 * bytes - blocks.length(position.ahead(1)) - blocks.length(position.ahead(2)));
  }
}
