package dev.tandem.comm.collective;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * One round of the reductions over messages in which every owner gets its piece from all others and
 * reduces it by itself. Its halves begin and finish apart, so that rounds overlap.
 *
 * <p>Steps: in either half n - 1 for an owner; in the first as many as there are owners for others.
 */
final class DirectRound {

  /** Bytes that a rank gets from all others in a round, about. */
  private static final long ROUND_BYTES = 512 << 10;

  private static final long LEAST_BYTES = 64 << 10;

  /** Where the pieces of the owners lie. */
  interface Pieces {
    MemorySegment of(int owner);
  }

  private final Team team;
  private final Arrivals arrivals;
  private final Pieces pieces;
  private final int owners;
  private final MemorySegment scratch;
  private final MemorySegment mine;

  /**
   * A round.
   *
   * @param owners how many of the first ranks own a piece each
   * @param scratch room for one piece of each rank, used until the first half is finished
   */
  DirectRound(Team team, Arrivals arrivals, Pieces pieces, int owners, MemorySegment scratch) {
    this.team = team;
    this.arrivals = arrivals;
    this.pieces = pieces;
    this.owners = owners;
    this.scratch = scratch;
    this.mine = team.rank() < owners ? pieces.of(team.rank()) : Team.nothing();
  }

  /** Bytes of a piece in a team of this size: whole cache lines, so whole elements. */
  static long pieceBytes(int ranks) {
    return Math.max(LEAST_BYTES, ROUND_BYTES / ranks / 64 * 64);
  }

  /** Sends to all owners and lets this rank's piece come from all. */
  void begin() {
    boolean owner = team.rank() < owners;
    for (int distance = 1; distance < team.size(); distance++) {
      int to = team.ahead(distance);
      int from = team.before(distance);
      if (owner) {
        arrivals.expect(from, slot(from));
      }
      if (to < owners && owner) {
        team.sendPartOfExchange(to, pieces.of(to));
      } else if (to < owners) {
        team.send(to, pieces.of(to));
      }
    }
  }

  private MemorySegment slot(int rank) {
    return scratch.asSlice(mine.byteSize() * rank, mine.byteSize());
  }

  /** Waits for this rank's piece from all and reduces it. */
  void reduce(Fold fold, MemorySegment target) {
    if (team.rank() >= owners) {
      return;
    }
    for (int distance = 1; distance < team.size(); distance++) {
      arrivals.finish(team.before(distance));
    }
    List<MemorySegment> inputs = new ArrayList<>(team.size());
    for (int rank = 0; rank < team.size(); rank++) {
      inputs.add(rank == team.rank() ? mine : slot(rank));
    }
    fold.reduce(inputs, target);
  }

  /** Sends this rank's reduced piece to all and lets theirs come; here all ranks are owners. */
  void beginSharing() {
    for (int distance = 1; distance < team.size(); distance++) {
      int from = team.before(distance);
      arrivals.begin(team.ahead(distance), mine, from, pieces.of(from));
    }
  }

  /** Waits for the reduced pieces of all. */
  void finishSharing() {
    for (int distance = 1; distance < team.size(); distance++) {
      arrivals.finish(team.before(distance));
    }
  }
}
