package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkPart;
import dev.tandem.nn.NormReducer;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.shard.ShardStage;
import dev.tandem.parallel.shard.ShardedMemory;
import dev.tandem.parallel.state.SplitNorms;
import dev.tandem.train.config.StrategyConfig;
import dev.tandem.train.config.TrainingConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a rank computes of a run's network, and the ranks that it meets for it. Owns the network and
 * the groups until closed.
 */
record RankNetwork(
    RankGroups groups,
    LocalNetwork local,
    Optional<RankStage> stage,
    Network network,
    GroupInput input,
    Optional<ShardedMemory> sharded)
    implements AutoCloseable {

  /**
   * Plans what each rank computes and makes this rank's network; all ranks call this together.
   *
   * @param engine started when the plan is made
   */
  static RankNetwork create(
      TrainingConfig config,
      Communicator communicator,
      Supplier<Engine> engine,
      NetworkOptions options) {
    config.checkRanks(communicator.size());
    RankGroups groups = RankGroups.of(config, communicator);
    Optional<RankStage> stage = Optional.empty();
    try {
      LocalNetwork undivided = plan(config, groups);
      checkMixup(config, undivided);
      stage =
          config.strategy().mesh().pipelined()
              ? Optional.of(
                  RankStage.of(
                      config, groups, undivided, PipelineCuts.of(config, groups.all(), engine)))
              : Optional.empty();
      LocalNetwork local = stage.map(RankStage::local).orElse(undivided);
      groups.form(local, stage.map(RankStage::answering).orElse(0));
      Engine started = engine.get();
      Optional<ShardedMemory> sharded =
          config
              .strategy()
              .shard()
              .stage()
              .map(rows -> memory(started, local, options.dtype(), rows, groups));
      Network network =
          Network.create(
              started,
              local.spec(),
              new Seed(config.seed()).derive("parameters"),
              options,
              new NetworkPart(
                  local.whole(),
                  local.regions(),
                  norms(config, groups, local),
                  local.inputSamples()),
              sharded.map(memory -> memory));
      List<InputPart> parts = InputPart.ofAll(groups.input(), InputPart.of(local));
      GroupInput input = new GroupInput(config.strategy().input(), groups.input(), parts);
      return new RankNetwork(groups, local, stage, network, input, sharded);
    } catch (RuntimeException e) {
      stage.ifPresent(RankStage::close);
      groups.close();
      throw e;
    }
  }

  private static void checkMixup(TrainingConfig config, LocalNetwork local) {
    if (config.data().mixup() > 0 && !local.inputSamples().equals(SampleShare.ALL)) {
      throw new UsageException(
          "data.mixup is %s, but with this strategy the first layer of a rank has some of the"
                  .formatted(config.data().mixup())
              + " samples only: set data.mixup: 0, or another mode for it in strategy.layers");
    }
  }

  private static ShardedMemory memory(
      Engine engine, LocalNetwork local, DType dtype, ShardStage stage, RankGroups groups) {
    Map<String, Communicator> sums = new HashMap<>();
    for (ParameterSpec parameter : local.spec().parameters()) {
      groups
          .gradientsBeforeData(parameter.name())
          .ifPresent(ranks -> sums.put(parameter.name(), ranks));
    }
    return new ShardedMemory(engine, local.spec(), dtype, stage, groups.data(), sums);
  }

  /** Whether ranks have parts of what norms are of. */
  static boolean sumsNorms(TrainingConfig config) {
    StrategyConfig strategy = config.strategy();
    return strategy.sharded() || strategy.mesh().splitsLayers() || strategy.mesh().pipelined();
  }

  /** A rank that holds the whole network needs nobody for its norms. */
  private static Optional<NormReducer> norms(
      TrainingConfig config, RankGroups groups, LocalNetwork local) {
    if (config.strategy().sharded()) {
      // Ranks that differ in samples have other rows.
      return Optional.of(
          new SplitNorms(groups.all(), groups.mesh(), local.whole(), local.spec(), local.copies()));
    }
    return sumsNorms(config)
        ? Optional.of(SplitNorms.of(groups.all(), groups.mesh(), local))
        : Optional.empty();
  }

  /** The layers as the strategy splits them, of all stages. */
  private static LocalNetwork plan(TrainingConfig config, RankGroups groups) {
    return config.plan(groups.mesh(), groups.all().rank(), groups::transfer);
  }

  @Override
  public void close() {
    network.close();
    stage.ifPresent(RankStage::close);
    groups.close();
  }
}
