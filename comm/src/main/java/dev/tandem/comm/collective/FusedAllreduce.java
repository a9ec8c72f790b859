package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Allreduce of several tensors as if they were one. In shared memory the tensors go straight into
 * the slots and back; else they are packed into one buffer, reduced, and unpacked.
 *
 * <p>Communication steps and bytes: those of {@link Allreduce} of all bytes together.
 */
public final class FusedAllreduce {

  private FusedAllreduce() {}

  /** Reduces; see {@link Collectives#fusedAllreduce}. */
  public static void run(
      Team team, List<MemorySegment> tensors, DType type, ReduceOp op, Determinism level) {
    long bytes = tensors.stream().mapToLong(MemorySegment::byteSize).sum();
    if (Allreduce.choice(team, bytes, type, op, level) == AllreduceAlgorithm.FLAT) {
      team.intend(Intention.of(FusedAllreduce.class, bytes, type, op));
      AllreduceFlat.run(
          team,
          team.board().orElseThrow(),
          Parts.of(tensors),
          type.bytes(),
          team.reduction(type, op));
      return;
    }
    MemorySegment packed = team.fused(bytes);
    long offset = 0;
    for (MemorySegment tensor : tensors) {
      MemorySegment.copy(tensor, 0, packed, offset, tensor.byteSize());
      offset += tensor.byteSize();
    }
    Allreduce.run(team, packed, type, op, level);
    offset = 0;
    for (MemorySegment tensor : tensors) {
      MemorySegment.copy(packed, offset, tensor, 0, tensor.byteSize());
      offset += tensor.byteSize();
    }
  }
}
