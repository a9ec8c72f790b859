package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Allreduce of small data by recursive doubling: in round k every rank exchanges everything with
 * the one whose number differs in bit k. Ranks beyond a power of two first give their data to a
 * neighbour and get the result from it at the end. The order of reduction is a tree over the ranks,
 * not rank order: level {@code fast}.
 *
 * <p>With p the largest power of two up to n, the first 2 (n - p) ranks make pairs. Communication
 * steps: log2 p; 2 at the first of a pair, log2 p + 2 at the second. Bytes on the wire: S log2 p; S
 * at the first of a pair, S (log2 p + 1) at the second.
 */
final class AllreduceDoubling {

  private AllreduceDoubling() {}

  static void run(Team team, MemorySegment data, DType type, ReduceOp op) {
    int power = Integer.highestOneBit(team.size());
    int paired = 2 * (team.size() - power);
    int rank = team.rank();
    if (rank < paired && rank % 2 == 0) {
      team.send(rank + 1, data);
      team.receive(rank + 1, data);
      return;
    }
    Reduction step = team.reduction(type, Fold.step(op));
    MemorySegment scratch = team.scratch(data.byteSize());
    if (rank < paired) {
      team.receive(rank - 1, scratch);
      step.reduce(List.of(scratch, data), data);
    }
    int me = rank < paired ? rank / 2 : rank - paired / 2;
    for (int bit = 1; bit < power; bit *= 2) {
      int other = me ^ bit;
      int partner = other < paired / 2 ? 2 * other + 1 : other + paired / 2;
      team.exchange(partner, data, partner, scratch);
      // Both take the lower one's first, so that they get the same bits.
      step.reduce(me < other ? List.of(data, scratch) : List.of(scratch, data), data);
    }
    Fold.finish(team, type, op, data);
    if (rank < paired) {
      team.send(rank - 1, data);
    }
  }

  static Cost cost(TeamPosition position, long bytes) {
    int power = Integer.highestOneBit(position.size());
    int paired = 2 * (position.size() - power);
    int rounds = Rounds.log2Ceiling(power);
    if (position.rank() >= paired) {
      return new Cost(rounds, rounds * bytes);
    }
    return position.rank() % 2 == 0
        ? new Cost(2, bytes)
        : new Cost(rounds + 2, (rounds + 1) * bytes);
  }
}
