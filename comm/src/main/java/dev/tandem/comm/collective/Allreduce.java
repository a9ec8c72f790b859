package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;

/**
 * Reduces the data of all ranks in place, for every rank, by one of the {@link
 * AllreduceAlgorithm}s, which {@link CollectiveSettings#allreduce} chooses. At level {@code run}
 * all that may be chosen reduce every element in the same order, so the choice does not show in the
 * bits.
 */
public final class Allreduce {

  private Allreduce() {}

  /** Reduces by the algorithm that the settings choose. */
  public static void run(
      Team team, MemorySegment data, DType type, ReduceOp op, Determinism level) {
    run(team, data, type, op, choice(team, data.byteSize(), type, op, level));
  }

  /** The algorithm that the settings choose; the same in all members. */
  public static AllreduceAlgorithm choice(
      Team team, long bytes, DType type, ReduceOp op, Determinism level) {
    AllreduceAlgorithm chosen = team.settings().allreduce(team.position(), bytes, level);
    return effective(team.position(), type, op, chosen);
  }

  /** Averages of bytes need the whole sum in one place: what partial sums would spoil is direct. */
  private static AllreduceAlgorithm effective(
      TeamPosition position, DType type, ReduceOp op, AllreduceAlgorithm chosen) {
    if (position.size() == 1) {
      return AllreduceAlgorithm.GATHERED;
    }
    return switch (chosen) {
      case FLAT, GATHERED, DIRECT -> chosen;
      case HIERARCHICAL, RING, DOUBLING, TREE ->
          Fold.needsAllAtOnce(type, op) ? AllreduceAlgorithm.DIRECT : chosen;
    };
  }

  /** Reduces by one algorithm, which must apply; all members name the same. */
  public static void run(
      Team team, MemorySegment data, DType type, ReduceOp op, AllreduceAlgorithm algorithm) {
    switch (effective(team.position(), type, op, algorithm)) {
      case FLAT -> {
        Reduction reduction = team.reduction(type, op);
        team.fingerprint(CallFingerprint.of(Allreduce.class, data.byteSize(), type, op));
        AllreduceFlat.run(team, team.slots().orElseThrow(), data, type.bytes(), reduction);
      }
      case GATHERED -> AllreduceGathered.run(team, data, type, op);
      case DIRECT -> AllreduceDirect.run(team, data, type, op);
      case HIERARCHICAL -> {
        Team local = team.local().orElseThrow();
        local.fingerprint(CallFingerprint.of(Allreduce.class, data.byteSize(), type, op));
        AllreduceHierarchical.run(team, data, type, op);
      }
      case RING -> AllreduceRing.run(team, data, type, op);
      case DOUBLING -> AllreduceDoubling.run(team, data, type, op);
      case TREE -> AllreduceTree.run(team, data, type, op);
    }
  }

  /** What it costs a rank with the built-in table at level {@code run}. */
  public static Cost cost(TeamPosition position, long bytes, DType type) {
    return cost(
        position,
        bytes,
        type,
        CollectiveSettings.DEFAULT.allreduce(position, bytes, Determinism.RUN));
  }

  /** What an algorithm costs a rank; as {@link #choice} tells it for this type and operation. */
  public static Cost cost(
      TeamPosition position, long bytes, DType type, AllreduceAlgorithm algorithm) {
    if (position.size() == 1) {
      return Cost.NOTHING;
    }
    return switch (algorithm) {
      case FLAT -> AllreduceFlat.cost(position.size(), bytes);
      case GATHERED -> AllreduceGathered.cost(position, bytes);
      case DIRECT -> AllreduceDirect.cost(position, bytes, type);
      case HIERARCHICAL -> AllreduceHierarchical.cost(position, bytes, type);
      case RING -> AllreduceRing.cost(position, bytes, type);
      case DOUBLING -> AllreduceDoubling.cost(position, bytes);
      case TREE -> AllreduceTree.cost(position, bytes, type);
    };
  }
}
