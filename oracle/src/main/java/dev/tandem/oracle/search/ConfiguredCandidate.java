package dev.tandem.oracle.search;

import dev.tandem.oracle.projection.Candidate;
import dev.tandem.oracle.projection.Candidate.Stages;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.stage.Schedule;
import dev.tandem.parallel.strategy.SpaceOptions;
import dev.tandem.parallel.strategy.Strategy;
import dev.tandem.train.config.StrategyConfig;
import dev.tandem.train.config.StrategyConfig.Gather;
import dev.tandem.train.config.StrategyConfig.Spatial;
import dev.tandem.train.config.TrainingConfig;
import java.util.Optional;

/** The way that a configuration trains in. */
public final class ConfiguredCandidate {

  private ConfiguredCandidate() {}

  /** Of a configuration and a number of ranks that fits it. */
  public static Candidate of(TrainingConfig config, int ranks) {
    Mesh mesh = config.mesh(ranks);
    StrategyConfig strategy = config.strategy();
    Spatial spatial = strategy.spatial();
    SpaceOptions space =
        new SpaceOptions(
            spatial.automatic() ? Optional.empty() : Optional.of(spatial.aggregate()),
            spatial.aggregateTo() == Spatial.AggregateTo.SAMPLES,
            spatial.memoryMegabytes() << 20,
            Math.ceilDiv(config.batch().global(), mesh.size(Mesh.DATA)));
    StrategyConfig.Pipeline pipeline = strategy.pipeline();
    return new Candidate(
        mesh,
        new Strategy(strategy.layers(), strategy.gather() == Gather.EAGER, space),
        mesh.size(Mesh.PIPELINE) == 1
            ? Optional.empty()
            : Optional.of(
                new Stages(
                    schedule(pipeline.schedule()), pipeline.microBatches(), pipeline.recompute())),
        strategy.shard().stage(),
        config.batch().accumulation());
  }

  private static Schedule schedule(StrategyConfig.Pipeline.Order order) {
    return switch (order) {
      case ONE_FORWARD_ONE_BACKWARD -> new Schedule.OneForwardOneBackward();
      case GPIPE -> new Schedule.Gpipe();
      case SEQUENTIAL -> new Schedule.Sequential();
    };
  }
}
