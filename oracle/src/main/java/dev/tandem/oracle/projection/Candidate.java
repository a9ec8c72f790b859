package dev.tandem.oracle.projection;

import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.shard.ShardStage;
import dev.tandem.parallel.stage.Schedule;
import dev.tandem.parallel.strategy.Strategy;
import java.util.Optional;

/**
 * One way to split the work over ranks.
 *
 * @param mesh the ranks; an axis of size 1 may be left out
 * @param strategy how layers work along the inner axes
 * @param stages how pieces go through the stages, if the mesh has several
 * @param shard what ranks with other samples keep rows of, if they do
 * @param accumulation passes of a step one after the other, where there are no stages
 */
public record Candidate(
    Mesh mesh,
    Strategy strategy,
    Optional<Stages> stages,
    Optional<ShardStage> shard,
    int accumulation) {

  /**
   * A pipeline.
   *
   * @param pieces that the samples of a step are cut into
   * @param recompute whether activations are computed again instead of kept
   */
  public record Stages(Schedule schedule, int pieces, boolean recompute) {

    /** What {@code tandem train} does by itself. */
    public static final Stages USUAL = new Stages(new Schedule.OneForwardOneBackward(), 8, false);
  }

  public Candidate {
    if (mesh.size(Mesh.PIPELINE) > 1 && stages.isEmpty()) {
      stages = Optional.of(Stages.USUAL);
    }
    if (accumulation < 1) {
      throw new IllegalArgumentException("accumulation " + accumulation);
    }
  }

  /** A mesh whose layers work as the axes are named. */
  public static Candidate of(Mesh mesh) {
    return new Candidate(mesh, Strategy.USUAL, Optional.empty(), Optional.empty(), 1);
  }

  /** The same with other modes for layers. */
  public Candidate with(Strategy other) {
    return new Candidate(mesh, other, stages, shard, accumulation);
  }

  /** The same with another pipeline. */
  public Candidate with(Stages other) {
    return new Candidate(mesh, strategy, Optional.of(other), shard, accumulation);
  }

  /** The same with rows in the place of copies. */
  public Candidate sharding(ShardStage stage) {
    return new Candidate(mesh, strategy, stages, Optional.of(stage), accumulation);
  }

  /** The same in several passes for each step. */
  public Candidate inPasses(int passes) {
    return new Candidate(mesh, strategy, stages, shard, passes);
  }

  /**
   * Passes of a step, one after the other.
   *
   * @param samples of the ranks that have the same samples
   */
  int passes(long samples) {
    int most = (int) Math.min(Integer.MAX_VALUE, samples);
    return stages
        .map(each -> each.schedule().pieces(each.pieces(), most))
        .orElse(Math.min(accumulation, most));
  }

  /** Passes of a step of many samples, one after the other. */
  public int passes() {
    return passes(Integer.MAX_VALUE);
  }

  /** Number of ranks. */
  public int ranks() {
    return mesh.size();
  }
}
