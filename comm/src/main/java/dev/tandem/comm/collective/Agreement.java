package dev.tandem.comm.collective;

import dev.tandem.core.UsageException;
import java.lang.foreign.MemorySegment;

/** Makes sure that all ranks of a job chose the same settings: they would wait in vain else. */
public final class Agreement {

  private Agreement() {}

  /** Refuses different settings, and a forced algorithm that the team cannot use; all call it. */
  public static void check(Team team) {
    long[] mine = {team.settings().fingerprint()};
    long[] all = new long[team.size()];
    Allgather.run(
        team,
        MemorySegment.ofArray(mine),
        MemorySegment.ofArray(all),
        Extents.equal(team.size(), Long.BYTES));
    for (int rank = 1; rank < all.length; rank++) {
      if (all[rank] != all[0]) {
        throw new UsageException(
            "ranks 0 and %d have different settings: %s, %s and the table of %s must be the same"
                .formatted(
                    rank,
                    Determinism.VARIABLE,
                    CollectiveSettings.FORCED,
                    CollectiveSettings.TABLE));
      }
    }
    team.settings().checkApplies(team.position());
  }
}
