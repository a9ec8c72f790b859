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
  public static void run(Team team, List<MemorySegment> tensors, DType type, ReduceOp op) {
    long bytes = tensors.stream().mapToLong(MemorySegment::byteSize).sum();
    if (team.board().isPresent()) {
      team.intend(Intention.of(FusedAllreduce.class, bytes, type, op));
      AllreduceFlat.run(
          team, team.board().get(), Parts.of(tensors), type.bytes(), team.reduction(type, op));
      return;
    }
    MemorySegment packed = team.result(bytes);
    long offset = 0;
    for (MemorySegment tensor : tensors) {
      MemorySegment.copy(tensor, 0, packed, offset, tensor.byteSize());
      offset += tensor.byteSize();
    }
    Allreduce.run(team, packed, type, op);
    offset = 0;
    for (MemorySegment tensor : tensors) {
      MemorySegment.copy(packed, offset, tensor, 0, tensor.byteSize());
      offset += tensor.byteSize();
    }
  }
}
