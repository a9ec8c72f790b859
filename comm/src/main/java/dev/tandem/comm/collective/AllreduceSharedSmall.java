package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.Reduction;
import dev.tandem.comm.transport.SharedSlots;
import java.lang.foreign.MemorySegment;

/**
 * Allreduce of small data in shared memory, everybody for itself: everybody shows its data and
 * reduces that of all, in rank order.
 *
 * <p>Communication steps: 1. Bytes written for others to read: S.
 */
final class AllreduceSharedSmall {

  private AllreduceSharedSmall() {}

  /** Data that fits into a slot. */
  static void run(Team team, SharedSlots slots, Parts data, Reduction reduction) {
    long bytes = data.bytes();
    if (bytes == 0) {
      return;
    }
    data.copyTo(0, bytes, slots.mine(), 0);
    slots.written(bytes);
    slots.turn();
    MemorySegment[] inputs = new MemorySegment[team.size()];
    long[] offsets = new long[team.size()];
    for (int rank = 0; rank < inputs.length; rank++) {
      if (rank != team.rank()) {
        inputs[rank] = slots.slot(rank, 0, bytes);
      }
    }
    data.walk(
        0,
        bytes,
        (tensor, at, distance, length) -> {
          for (int rank = 0; rank < inputs.length; rank++) {
            offsets[rank] = rank == team.rank() ? at : distance;
          }
          inputs[team.rank()] = tensor;
          reduction.reduce(inputs, offsets, length, tensor, at);
        });
  }

  /** Data that fits beside the sign of arrival. */
  static void runLetters(Team team, SharedSlots slots, MemorySegment data, Reduction reduction) {
    long bytes = data.byteSize();
    if (bytes == 0) {
      return;
    }
    slots.putLetter(data);
    slots.turn();
    MemorySegment[] inputs = new MemorySegment[team.size()];
    long[] offsets = new long[team.size()];
    for (int rank = 0; rank < inputs.length; rank++) {
      boolean mine = rank == team.rank();
      inputs[rank] = mine ? data : slots.letters();
      offsets[rank] = mine ? 0 : slots.letter(rank, bytes);
    }
    reduction.reduce(inputs, offsets, bytes, data, 0);
  }

  static Cost cost(long bytes) {
    return new Cost(bytes == 0 ? 0 : 1, bytes);
  }
}
