package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;

/**
 * Reduces the data of all ranks in place, for every rank: {@link AllreduceFlat} in shared memory;
 * else {@link AllreduceGathered} where latency counts and {@link AllreduceDirect} where bytes do.
 * All reduce every element in rank order, so the choice does not show in the bits.
 */
public final class Allreduce {

  /** Up to so many bytes sent by a rank, one round is cheaper than two with fewer bytes. */
  private static final long GATHERED_LIMIT = 32 << 10;

  private Allreduce() {}

  public static void run(Team team, MemorySegment data, DType type, ReduceOp op) {
    Reduction reduction = team.reduction(type, op);
    if (team.board().isPresent()) {
      team.intend(Intention.of(Allreduce.class, data.byteSize(), type, op));
      AllreduceFlat.run(team, team.board().get(), Parts.of(data), type.bytes(), reduction);
    } else if (gathers(team.size(), data.byteSize())) {
      AllreduceGathered.run(team, data, reduction);
    } else {
      AllreduceDirect.run(team, data, type.bytes(), reduction);
    }
  }

  /** What it costs a rank. */
  public static Cost cost(Place place, long bytes, DType type) {
    if (place.sharedMemory()) {
      return AllreduceFlat.cost(place.size(), bytes);
    }
    return gathers(place.size(), bytes)
        ? AllreduceGathered.cost(place.size(), bytes)
        : AllreduceDirect.cost(place.size(), place.rank(), bytes, type.bytes());
  }

  private static boolean gathers(int ranks, long bytes) {
    return (ranks - 1) * bytes <= GATHERED_LIMIT;
  }
}
