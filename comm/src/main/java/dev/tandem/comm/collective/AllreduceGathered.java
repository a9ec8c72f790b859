package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Allreduce of small data: everybody sends everything to everybody and reduces for itself, in
 * order.
 *
 * <p>Communication steps: n - 1 exchanges that go on at the same time. Bytes on the wire: every
 * rank sends (n - 1) S.
 */
final class AllreduceGathered {

  private AllreduceGathered() {}

  static void run(Team team, MemorySegment data, DType type, ReduceOp op) {
    int size = team.size();
    long bytes = data.byteSize();
    MemorySegment scratch = team.scratch(bytes * size);
    try (Arrivals arrivals = team.arrivals()) {
      for (int distance = 1; distance < size; distance++) {
        int from = team.before(distance);
        arrivals.begin(team.ahead(distance), data, from, scratch.asSlice(bytes * from, bytes));
      }
      for (int distance = 1; distance < size; distance++) {
        arrivals.finish(team.before(distance));
      }
    }
    List<MemorySegment> inputs = new ArrayList<>(size);
    for (int rank = 0; rank < size; rank++) {
      inputs.add(rank == team.rank() ? data : scratch.asSlice(bytes * rank, bytes));
    }
    Fold.inOrder(team, type, op).reduce(inputs, data);
  }

  static Cost cost(TeamPosition position, long bytes) {
    return new Cost(position.size() - 1, (position.size() - 1) * bytes);
  }
}
