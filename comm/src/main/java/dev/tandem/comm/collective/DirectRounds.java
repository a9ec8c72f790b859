package dev.tandem.comm.collective;

import java.lang.foreign.MemorySegment;

/**
 * Allreduce in rounds over messages: while a rank reduces its piece of a round, the pieces of the
 * next round and the reduced ones of the round before travel, in both directions.
 *
 * <p>Note [order of arrivals]: round r begins, then the results of round r - 3 are awaited, then
 * the pieces of round r - 1. That is the order in which every other rank sent them.
 */
record DirectRounds(Team team, Fold fold) {

  static final int LAG = 3;

  /** What is reduced, round by round. */
  interface Source {

    /** Makes a round's data ready and says where its pieces are. */
    DirectRound.Pieces prepare(long round);

    /** The results of a round have arrived. */
    void complete(long round);
  }

  /**
   * Runs all rounds.
   *
   * @param longest bytes that no piece exceeds
   */
  void run(long rounds, long longest, Source source) {
    MemorySegment scratch = team.scratch(2 * longest * team.size());
    DirectRound[] flying = new DirectRound[LAG + 1];
    DirectRound.Pieces[] pieces = new DirectRound.Pieces[LAG + 1];
    try (Arrivals arrivals = team.arrivals()) {
      for (long round = 0; round < rounds + LAG; round++) {
        if (round < rounds) {
          int at = position(round);
          pieces[at] = source.prepare(round);
          MemorySegment slots = scratch.asSlice((round & 1) * longest * team.size());
          flying[at] = new DirectRound(team, arrivals, pieces[at], team.size(), slots);
          flying[at].begin();
        }
        if (round >= LAG) {
          flying[position(round - LAG)].finishSharing();
          source.complete(round - LAG);
        }
        if (round >= 1 && round <= rounds) {
          int at = position(round - 1);
          flying[at].reduce(fold, pieces[at].of(team.rank()));
          flying[at].beginSharing();
        }
      }
    }
  }

  private static int position(long round) {
    return (int) (round % (LAG + 1));
  }
}
