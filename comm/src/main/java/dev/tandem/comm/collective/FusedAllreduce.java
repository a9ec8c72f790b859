package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Allreduce of several tensors as if they were one. In shared memory the tensors go straight into
 * the slots and back; else, and if they are small, they are packed into one buffer, reduced, and
 * unpacked.
 *
 * <p>Communication steps and bytes: those of {@link Allreduce} of all bytes together.
 */
public final class FusedAllreduce {

  /** Up to this many bytes packing costs less than reducing tensor by tensor. */
  private static final long PACKED_BYTES = 16 << 10;

  private FusedAllreduce() {}

  /** Reduces; see {@link Collectives#fusedAllreduce}. */
  public static void run(
      Team team, List<MemorySegment> tensors, DType type, ReduceOp op, Determinism level) {
    long bytes = tensors.stream().mapToLong(MemorySegment::byteSize).sum();
    if (bytes > PACKED_BYTES
        && Allreduce.choice(team, bytes, type, op, level) == AllreduceAlgorithm.FLAT) {
      team.fingerprint(CallFingerprint.of(FusedAllreduce.class, bytes, type, op));
      AllreduceFlat.run(
          team,
          team.slots().orElseThrow(),
          Parts.of(tensors),
          type.bytes(),
          team.reduction(type, op));
      return;
    }
    MemorySegment packed = team.fused(bytes);
    long at = 0;
    for (MemorySegment tensor : tensors) {
      MemorySegment.copy(tensor, 0, packed, at, tensor.byteSize());
      at += tensor.byteSize();
    }
    Allreduce.run(team, packed, type, op, level);
    at = 0;
    for (MemorySegment tensor : tensors) {
      MemorySegment.copy(packed, at, tensor, 0, tensor.byteSize());
      at += tensor.byteSize();
    }
  }
}
