package dev.tandem.train;

import dev.tandem.nn.Network;
import dev.tandem.nn.spec.LayerNames;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.stage.Schedule;
import dev.tandem.parallel.stage.StageCuts;
import dev.tandem.parallel.stage.StageGroups;
import dev.tandem.parallel.stage.StageRun;
import dev.tandem.train.config.StrategyConfig;
import dev.tandem.train.config.TrainingConfig;
import java.util.List;
import java.util.Set;

/**
 * A rank's stage of a pipeline. Owns the ways to the stages before and after it.
 *
 * @param local what the rank computes
 * @param number the stage's, from 0
 * @param answering the stage that has the network's answer
 */
record RankStage(
    StrategyConfig.Pipeline config,
    LocalNetwork local,
    StageGroups ways,
    int number,
    int count,
    int answering)
    implements AutoCloseable {

  /**
   * The stage of a rank; all ranks call this together.
   *
   * @param undivided what the rank would compute of all stages
   * @param cuts names of the layers that begin all stages but the first
   */
  static RankStage of(
      TrainingConfig config, RankGroups groups, LocalNetwork undivided, List<String> cuts) {
    Mesh mesh = groups.mesh();
    Set<String> frozen = LayerNames.matching(config.network(), config.fineTune().freeze());
    StageCuts stages = new StageCuts(undivided, frozen);
    int count = mesh.size(Mesh.PIPELINE);
    int number = mesh.coordinate(groups.all().rank(), Mesh.PIPELINE);
    List<Integer> begins = stages.begins(cuts, count);
    StageGroups ways = StageGroups.of(groups.all(), mesh);
    LocalNetwork local = stages.stage(begins, number, ways.before(), ways.after());
    return new RankStage(
        config.strategy().pipeline(), local, ways, number, count, stages.answering(begins));
  }

  /** Whether this stage has the network's answer. */
  boolean answers() {
    return number == answering;
  }

  private Schedule schedule() {
    return Schedule.of(config.schedule().word());
  }

  /** Pieces of a step that has enough samples. */
  int pieces() {
    return schedule().pieces(config.microBatches(), Integer.MAX_VALUE);
  }

  /** The steps of this stage. */
  StageRun run(Network network) {
    return new StageRun(
        network, ways, new StageRun.Manner(schedule(), config.recompute()), number, count);
  }

  @Override
  public void close() {
    ways.close();
  }
}
