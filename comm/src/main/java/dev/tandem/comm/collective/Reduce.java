package dev.tandem.comm.collective;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;

/**
 * Reduces the data of all ranks to the root: a {@link ReduceScatter}, whose blocks are then
 * gathered, so that all ranks share the work.
 *
 * <p>Communication steps: those of the reduce-scatter, and those of the {@link Gather}. Bytes on
 * the wire: S for each rank but the root, which sends S less its block.
 */
public final class Reduce {

  private Reduce() {}

  /**
   * Reduces.
   *
   * @param data replaced by the result at the root, unchanged elsewhere
   */
  public static void run(Team team, MemorySegment data, DType type, ReduceOp op, int root) {
    Blocks blocks = new Blocks(data.byteSize(), type.bytes(), team.size());
    long[] lengths = blocks.lengths();
    if (team.rank() == root) {
      MemorySegment mine = data.asSlice(blocks.offset(root), lengths[root]);
      ReduceScatter.run(team, data, mine, lengths, type, op);
      Gather.run(team, mine, data, lengths, root);
    } else {
      MemorySegment mine = team.result(lengths[team.rank()]);
      ReduceScatter.run(team, data, mine, lengths, type, op);
      Gather.run(team, mine, Team.nothing(), lengths, root);
    }
  }

  /** What it costs a rank. */
  public static Cost cost(TeamPosition position, long bytes, DType type, int root) {
    long[] lengths = new Blocks(bytes, type.bytes(), position.size()).lengths();
    return ReduceScatter.cost(position, lengths).then(Gather.cost(position, lengths, root));
  }
}
