package dev.tandem.train;

import dev.tandem.comm.collective.Cost;
import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.core.DType;
import dev.tandem.data.load.Batch;
import dev.tandem.data.order.Position;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.LayerNames;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.parallel.cost.PlanReport;
import dev.tandem.parallel.cost.PlanTraffic;
import dev.tandem.parallel.cost.PlannedGroups;
import dev.tandem.parallel.cost.PlannedStep;
import dev.tandem.parallel.cost.StepTraffic;
import dev.tandem.parallel.exchange.NoTransfer;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.stage.Balance;
import dev.tandem.parallel.stage.Schedule;
import dev.tandem.parallel.stage.StageCuts;
import dev.tandem.parallel.state.SplitNorms;
import dev.tandem.train.config.StrategyConfig;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a rank of a run will compute, send and hold, as far as its configuration decides it. Nothing
 * is allocated and no other rank is asked. Stages of a pipeline that a run finds by measuring are
 * taken to begin where operations balance.
 */
public final class PlannedRank {

  private static final Cost NOTHING = new Cost(0, 0);

  private final TrainingConfig config;
  private final Mesh mesh;
  private final int rank;
  private final Set<String> frozen;

  private PlannedRank(TrainingConfig config, int ranks, int rank) {
    this.config = config;
    this.mesh = config.mesh(ranks);
    this.rank = rank;
    frozen = LayerNames.matching(config.network(), config.fineTune().freeze());
  }

  /** The plan of one of the ranks of a run on one host. */
  public static PlanReport of(TrainingConfig config, int ranks, int rank) {
    return new PlannedRank(config, ranks, rank).report();
  }

  /** What a step sends besides what layers and parameters need. */
  private StepTraffic around(PlannedGroups groups, LocalNetwork local) {
    Set<String> everyone = mesh.axes().stream().map(Mesh.Axis::name).collect(Collectors.toSet());
    Set<String> losses =
        mesh.size(Mesh.PIPELINE) > 1 ? Set.of(Mesh.DATA, Mesh.PIPELINE) : Set.of(Mesh.DATA);
    Cost norms = NOTHING;
    if (RankNetwork.sumsNorms(config)) {
      norms = norms(groups, everyone, local, 1);
      if (config.optimizer().normsPerParameter() > 0) {
        norms = norms.then(norms(groups, everyone, local, config.optimizer().normsPerParameter()));
      }
    }
    return new StepTraffic(
        samplesHandedOn(),
        sum(groups, losses, DataParallelStep.LOSS_BYTES, DType.FLOAT64),
        norms,
        sum(groups, everyone, StopRequests.BYTES, DType.INT32));
  }

  private static Cost norms(
      PlannedGroups groups, Set<String> everyone, LocalNetwork local, int rows) {
    return sum(groups, everyone, SplitNorms.bytes(local.whole(), rows), DType.FLOAT64);
  }

  private static Cost sum(PlannedGroups groups, Set<String> axes, long bytes, DType type) {
    TeamPosition position = groups.position(axes);
    return position.size() == 1 ? NOTHING : groups.allreduce(position, bytes, type).cost();
  }

  /** If the rank reads for others, or passes on what it gets. */
  private Cost samplesHandedOn() {
    Set<String> sameSamples =
        mesh.axes().stream()
            .map(Mesh.Axis::name)
            .filter(axis -> !axis.equals(Mesh.DATA))
            .collect(Collectors.toSet());
    List<Integer> members = mesh.group(rank, sameSamples);
    if (config.strategy().input() != StrategyConfig.Input.LEADER || members.size() == 1) {
      return NOTHING;
    }
    List<InputPart> parts = new ArrayList<>();
    for (int member : members) {
      PlannedGroups groups = PlannedGroups.onOneHost(mesh, member);
      parts.add(InputPart.of(new PlannedRank(config, mesh.size(), member).local(groups)));
    }
    Batch batch =
        new Batch(
            Position.START,
            MemorySegment.NULL,
            MemorySegment.NULL,
            samples(),
            config.batch().global(),
            0);
    return HandedBatches.cost(
        PlannedGroups.onOneHost(mesh, rank).position(sameSamples),
        parts,
        config.trainingPreparation().targetBytes(),
        batch,
        InputPart.Pieces.of(passes()));
  }

  private LocalNetwork local(PlannedGroups groups) {
    return stage(config.plan(mesh, rank, groups::transfer));
  }

  private PlanReport report() {
    PlannedGroups groups = PlannedGroups.onOneHost(mesh, rank);
    LocalNetwork local = local(groups);
    PlannedStep step = step();
    return new PlanReport(
        mesh,
        rank,
        local,
        PlanTraffic.of(local, groups, step),
        around(groups, local),
        memory(local, groups, step));
  }

  private PlanMemory memory(LocalNetwork local, PlannedGroups groups, PlannedStep step) {
    PlanMemory memory =
        PlanMemory.of(local, groups, step, config.optimizer().valuesPerParameter(), open());
    return config.determinism().elastic() ? memory.withGradients(passes()) : memory;
  }

  /** The most samples of a data group in a step. */
  private int samples() {
    return Math.ceilDiv(config.batch().global(), mesh.size(Mesh.DATA));
  }

  private int passes() {
    int shards = Math.ceilDiv(config.determinism().shards(), mesh.size(Mesh.DATA));
    return config.strategy().mesh().pipelined()
        ? pieces()
        : config.determinism().elastic() ? shards : config.batch().accumulation();
  }

  private PlannedStep step() {
    DType activations =
        switch (config.compute().precision()) {
          case FLOAT32, TF32 -> DType.FLOAT32;
          case BFLOAT16 -> DType.BFLOAT16;
        };
    StrategyConfig strategy = config.strategy();
    boolean pipelined = strategy.mesh().pipelined();
    PlannedStep step =
        PlannedStep.of(samples())
            .inPasses(passes(), pipelined && strategy.pipeline().recompute())
            .of(DType.FLOAT32, activations)
            .freezing(frozen);
    step = config.determinism().synchronisedBatchNorm() ? step.synchronising() : step;
    return strategy.shard().stage().map(step::sharding).orElse(step);
  }

  private Schedule schedule() {
    return Schedule.of(config.strategy().pipeline().schedule().word());
  }

  private int pieces() {
    return schedule().pieces(config.strategy().pipeline().microBatches(), Integer.MAX_VALUE);
  }

  /** Passes whose activations are there at once. */
  private int open() {
    int stages = mesh.size(Mesh.PIPELINE);
    if (stages == 1) {
      return config.determinism().elastic() ? passes() : 1; // all at once
    }
    return schedule().open(mesh.coordinate(rank, Mesh.PIPELINE), stages, pieces());
  }

  private LocalNetwork stage(LocalNetwork all) {
    int stages = mesh.size(Mesh.PIPELINE);
    if (stages == 1) {
      return all;
    }
    StageCuts cuts = new StageCuts(all, frozen);
    int own = mesh.coordinate(rank, Mesh.PIPELINE);
    return cuts.stage(
        cuts.begins(names(stages), stages),
        own,
        own == 0 ? Optional.empty() : Optional.of(new NoTransfer(2, 1)),
        own == stages - 1 ? Optional.empty() : Optional.of(new NoTransfer(2, 0)));
  }

  private List<String> names(int stages) {
    if (!config.strategy().pipeline().automatic()) {
      return config.strategy().pipeline().cuts();
    }
    NetworkSpec network = config.network();
    double[] operations =
        LayerCost.of(network, frozen).stream()
            .mapToDouble(layer -> (double) (layer.forward() + layer.backward()))
            .toArray();
    StageCuts cuts = new StageCuts(LocalNetwork.undivided(network), frozen);
    return cuts.names(new Balance(cuts, operations, new double[operations.length]).begins(stages));
  }
}
