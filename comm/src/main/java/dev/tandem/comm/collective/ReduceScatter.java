package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.transport.SharedSlots;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reduces the data of all ranks and leaves each with one block of the result; blocks may differ in
 * length.
 *
 * <p>Communication steps: in shared memory 1 for each slot's worth; else n - 1 in each of its
 * rounds. Bytes on the wire: a rank with a block of B bytes sends S - B.
 */
public final class ReduceScatter {

  private ReduceScatter() {}

  /**
   * Reduces.
   *
   * @param data unchanged, unless {@code mine} is part of it
   * @param mine this rank's block of the result
   * @param lengths bytes of every rank's block: whole elements, the same in all ranks
   */
  public static void run(
      Team team, MemorySegment data, MemorySegment mine, long[] lengths, DType type, ReduceOp op) {
    Extents blocks = new Extents(lengths);
    blocks.check(team, mine, data);
    team.fingerprint(CallFingerprint.of(ReduceScatter.class, Arrays.hashCode(lengths), type, op));
    toOwners(team, data, blocks, Fold.inOrder(team, type, op), mine);
  }

  /**
   * Reduces for the first ranks of a team, as many as there are blocks.
   *
   * @param mine this rank's block of the result, empty if it has none
   */
  static void toOwners(
      Team team, MemorySegment data, Extents blocks, Fold fold, MemorySegment mine) {
    if (team.slots().isPresent()) {
      runFlat(team, team.slots().get(), data, blocks, fold, mine);
    } else {
      runDirect(team, data, blocks, fold, mine);
    }
  }

  /** Every slot holds one piece for each owner. */
  private static void runFlat(
      Team team,
      SharedSlots slots,
      MemorySegment data,
      Extents blocks,
      Fold fold,
      MemorySegment mine) {
    int owners = blocks.ranks();
    long piece = SharedSlots.pieceBytes(team.size(), owners);
    for (long from = 0; from < blocks.longest(); from += piece) {
      for (int owner = 0; owner < owners; owner++) {
        if (owner != team.rank()) {
          slots.put(blocks.piece(data, owner, from, piece), owner * piece);
        }
      }
      slots.turn();
      if (team.rank() >= owners) {
        continue;
      }
      MemorySegment target = Extents.piece(mine, from, piece);
      List<MemorySegment> inputs = new ArrayList<>(team.size());
      for (int rank = 0; rank < team.size(); rank++) {
        inputs.add(
            rank == team.rank()
                ? blocks.piece(data, rank, from, piece)
                : slots.slot(rank, team.rank() * piece, target.byteSize()));
      }
      fold.reduce(inputs, target);
    }
  }

  /** A round travels while the one before is reduced. */
  private static void runDirect(
      Team team, MemorySegment data, Extents blocks, Fold fold, MemorySegment mine) {
    long piece = DirectRound.pieceBytes(team.size());
    long longest = Math.min(piece, blocks.longest());
    long rounds = rounds(blocks, team.size());
    MemorySegment scratch = team.scratch(2 * longest * team.size());
    try (Arrivals arrivals = team.arrivals()) {
      DirectRound before = null;
      for (long round = 0; round <= rounds; round++) {
        DirectRound next = null;
        if (round < rounds) {
          long from = round * piece;
          next =
              new DirectRound(
                  team,
                  arrivals,
                  owner -> blocks.piece(data, owner, from, piece),
                  blocks.ranks(),
                  scratch.asSlice((round & 1) * longest * team.size()));
          next.begin();
        }
        if (before != null) {
          before.reduce(fold, Extents.piece(mine, (round - 1) * piece, piece));
        }
        before = next;
      }
    }
  }

  private static long rounds(Extents blocks, int size) {
    return Rounds.pieces(blocks.longest(), DirectRound.pieceBytes(size));
  }

  /** What it costs a rank. */
  public static Cost cost(TeamPosition position, long[] lengths) {
    return toOwnersCost(position, new Extents(lengths));
  }

  static Cost toOwnersCost(TeamPosition position, Extents blocks) {
    int owners = blocks.ranks();
    boolean owner = position.rank() < owners;
    long bytes = blocks.total() - (owner ? blocks.length(position.rank()) : 0);
    if (position.sharedMemory()) {
      return new Cost(
          Rounds.pieces(blocks.longest(), SharedSlots.pieceBytes(position.size(), owners)), bytes);
    }
    return new Cost(
        (owner ? position.size() - 1 : owners) * rounds(blocks, position.size()), bytes);
  }
}
