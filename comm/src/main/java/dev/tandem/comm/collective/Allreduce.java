package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;

/**
 * Reduces the data of all ranks in place, for every rank: {@link AllreduceGathered} where latency
 * counts, {@link AllreduceDirect} where bytes do. Both reduce every element in rank order, so the
 * choice does not show in the bits.
 */
public final class Allreduce {

  /** Up to so many bytes sent by a rank, one round is cheaper than two with fewer bytes. */
  private static final long GATHERED_LIMIT = 32 << 10;

  private Allreduce() {}

  public static void run(Team team, MemorySegment data, DType type, ReduceOp op) {
    Reduction reduction = new Reduction(type, op);
    if (gathers(team.size(), data.byteSize())) {
      AllreduceGathered.run(team, data, reduction);
    } else {
      AllreduceDirect.run(team, data, type.bytes(), reduction);
    }
  }

  public static Cost cost(int ranks, int rank, long bytes, DType type) {
    return gathers(ranks, bytes)
        ? AllreduceGathered.cost(ranks, bytes)
        : AllreduceDirect.cost(ranks, rank, bytes, type.bytes());
  }

  private static boolean gathers(int ranks, long bytes) {
    return (ranks - 1) * bytes <= GATHERED_LIMIT;
  }
}
