package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Makes one piece of equally long pieces of all members of a team. */
interface Fold {

  /**
   * Reduces.
   *
   * @param inputs by rank in the team
   * @param target as long; may be one of the inputs
   */
  void reduce(List<MemorySegment> inputs, MemorySegment target);

  /**
   * In the order that level {@code run} promises. Where it would not show in the bits, because no
   * host has several members or the operation is associative, plain rank order is the same.
   */
  static Fold inOrder(Team team, DType type, ReduceOp op) {
    return team.layout().grouped() && orderShows(type, op)
        ? new HostByHost(team, type, op)
        : team.reduction(type, op)::reduce;
  }

  /** For partial results of all hosts, each reduced by {@link #step}: makes the final result. */
  static Fold ofHosts(Team team, DType type, ReduceOp op) {
    Reduction step = team.reduction(type, step(op));
    return (inputs, target) -> {
      step.reduce(inputs, target);
      finish(team, type, op, target);
    };
  }

  /** What partial results are made by: an average divides only once, at the end. */
  static ReduceOp step(ReduceOp op) {
    return op == ReduceOp.AVERAGE ? ReduceOp.SUM : op;
  }

  /** Makes the result of what was reduced by {@link #step} over all members. */
  static void finish(Team team, DType type, ReduceOp op, MemorySegment data) {
    if (op == ReduceOp.AVERAGE) {
      team.reduction(type, op).divide(data, team.size());
    }
  }

  /** Whether partial results lose what the final one needs: sums of bytes wrap around. */
  static boolean needsAllAtOnce(DType type, ReduceOp op) {
    return type == DType.UINT8 && op == ReduceOp.AVERAGE;
  }

  private static boolean orderShows(DType type, ReduceOp op) {
    boolean sums = op == ReduceOp.SUM || op == ReduceOp.AVERAGE;
    return sums
        && switch (type) {
          case FLOAT32, FLOAT64, BFLOAT16, FLOAT16 -> true;
          case INT32, INT64, UINT8 -> false;
        };
  }

  /** Rank order within each host, then the hosts, rounding where messages between hosts would. */
  final class HostByHost implements Fold {

    /** Partial results of all hosts stay in the cache. */
    private static final long BLOCK_BYTES = 8 << 10;

    private final Team team;
    private final Reduction step;
    private final Fold ofHosts;

    private HostByHost(Team team, DType type, ReduceOp op) {
      this.team = team;
      this.step = team.reduction(type, step(op));
      this.ofHosts = ofHosts(team, type, op);
    }

    @Override
    public void reduce(List<MemorySegment> inputs, MemorySegment target) {
      Layout layout = team.layout();
      MemorySegment partial = team.partials(layout.hosts() * BLOCK_BYTES);
      for (long from = 0; from < target.byteSize(); from += BLOCK_BYTES) {
        long length = Math.min(BLOCK_BYTES, target.byteSize() - from);
        List<MemorySegment> hosts = new ArrayList<>(layout.hosts());
        for (int host = 0; host < layout.hosts(); host++) {
          hosts.add(ofHost(inputs, layout.members(host), from, length, partial, host));
        }
        ofHosts.reduce(hosts, target.asSlice(from, length));
      }
    }

    private MemorySegment ofHost(
        List<MemorySegment> inputs,
        int[] members,
        long from,
        long length,
        MemorySegment partial,
        int host) {
      if (members.length == 1) {
        return inputs.get(members[0]).asSlice(from, length);
      }
      List<MemorySegment> parts = new ArrayList<>(members.length);
      for (int member : members) {
        parts.add(inputs.get(member).asSlice(from, length));
      }
      MemorySegment result = partial.asSlice(host * BLOCK_BYTES, length);
      step.reduce(parts, result);
      return result;
    }
  }
}
