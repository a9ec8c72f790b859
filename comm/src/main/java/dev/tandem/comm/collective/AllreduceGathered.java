package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.Reduction;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Allreduce of small data: everybody sends everything to everybody and reduces for itself, in rank
 * order.
 *
 * <p>Communication steps: n - 1 exchanges that do not wait for each other's results. Bytes on the
 * wire: every rank sends (n - 1) S.
 */
final class AllreduceGathered {

  private AllreduceGathered() {}

  static void run(Team team, MemorySegment data, Reduction reduction) {
    int size = team.size();
    long bytes = data.byteSize();
    MemorySegment scratch = team.scratch(bytes * size);
    for (int distance = 1; distance < size; distance++) {
      int from = team.behind(distance);
      team.exchange(team.ahead(distance), data, from, scratch.asSlice(bytes * from, bytes));
    }
    List<MemorySegment> inputs = new ArrayList<>(size);
    for (int rank = 0; rank < size; rank++) {
      inputs.add(rank == team.rank() ? data : scratch.asSlice(bytes * rank, bytes));
    }
    reduction.reduce(inputs, data);
  }

  static Cost cost(int ranks, long bytes) {
    return new Cost(ranks - 1, (ranks - 1) * bytes);
  }
}
