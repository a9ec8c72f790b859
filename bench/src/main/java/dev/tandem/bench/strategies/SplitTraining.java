package dev.tandem.bench.strategies;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.Samples;
import dev.tandem.nn.StatisticsReducer;
import dev.tandem.nn.TrainingStep;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.Planner;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.parallel.cost.PlanTraffic;
import dev.tandem.parallel.cost.PlannedGroups;
import dev.tandem.parallel.cost.PlannedStep;
import dev.tandem.parallel.exchange.MeshGroups;
import dev.tandem.parallel.exchange.MeshGroups.Use;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.shard.ShardStage;
import dev.tandem.parallel.shard.ShardedMemory;
import dev.tandem.parallel.strategy.Strategy;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Training of a network that is split within its layers, or by samples, or not at all. */
final class SplitTraining extends StrategyTraining {

  private static final Set<String> DATA = Set.of(Mesh.DATA);

  private final Mesh mesh;
  private final int rank;
  private final MeshGroups groups;
  private final Optional<ShardedMemory> rows;
  private final Network network;
  private final Optimizer optimizer;
  private final Samples samples;
  private final Map<Communicator, List<MemorySegment>> sums = new LinkedHashMap<>();
  private long syncNanos;

  private SplitTraining(
      Communicator all,
      Workload workload,
      MeshGroups groups,
      LocalNetwork local,
      Optional<ShardStage> shard,
      Engine engine) {
    super(all, workload, engine, local, shard.isPresent());
    this.groups = groups;
    mesh = groups.mesh();
    rank = all.rank();
    rows =
        shard.map(
            stage ->
                new ShardedMemory(
                    engine,
                    local.spec(),
                    workload.type(),
                    stage,
                    groups.along(Use.GRADIENTS, DATA),
                    Map.of()));
    network = workload.network(local, engine, rows.map(each -> each));
    optimizer = Workload.optimizer(network);
    int from = share(mesh.coordinate(rank, Mesh.DATA));
    samples = workload.samples(local, from, share(mesh.coordinate(rank, Mesh.DATA) + 1) - from);
    Map<String, List<MemorySegment>> byAxes = new TreeMap<>();
    Map<String, Communicator> ranks = new TreeMap<>();
    for (TensorView gradient : network.gradients()) {
      Set<String> axes = withData(local.sums().getOrDefault(gradient.name(), Set.of()));
      Communicator group = groups.along(Use.GRADIENTS, axes);
      if (group.size() > 1 && rows.isEmpty()) {
        String key = mesh.sorted(axes).toString();
        ranks.put(key, group);
        byAxes.computeIfAbsent(key, _ -> new ArrayList<>()).add(gradient.data());
      }
    }
    byAxes.forEach((key, gradients) -> sums.put(ranks.get(key), gradients));
  }

  /**
   * The training of a rank; all ranks make theirs at the same time.
   *
   * @param shard what ranks with other samples keep rows of, if they do
   * @param threads of the engine
   */
  static SplitTraining start(
      Communicator all, Workload workload, Mesh mesh, Optional<ShardStage> shard, int threads) {
    MeshGroups groups = new MeshGroups(all, mesh);
    LocalNetwork local =
        Planner.plan(workload.network(), mesh, Strategy.USUAL, all.rank(), groups::transfer);
    local.sums().values().forEach(axes -> groups.need(Use.GRADIENTS, withData(axes)));
    groups.need(Use.GRADIENTS, DATA);
    groups.need(Use.STATISTICS, DATA);
    groups.form();
    return new SplitTraining(all, workload, groups, local, shard, Engine.start(threads));
  }

  private int share(int part) {
    return workload.batch() * part / mesh.size(Mesh.DATA);
  }

  private static Set<String> withData(Set<String> axes) {
    Set<String> all = new HashSet<>(axes);
    all.add(Mesh.DATA);
    return all;
  }

  @Override
  void passes(int step, boolean together, LayerClock timer) {
    network.forwardBackward(
        samples,
        TrainingStep.of(Workload.SEED, step)
            .withFirstSample(share(mesh.coordinate(rank, Mesh.DATA)))
            .withMeanOver(workload.batch())
            .withStatistics(together ? this::statistics : null)
            .withTimer(timer)
            .withListener(
                (_, parameter, _) -> rows.ifPresent(each -> each.reduceGradient(parameter))));
    long began = System.nanoTime();
    rows.ifPresent(ShardedMemory::awaitGradients);
    sums.forEach(
        (group, gradients) -> group.fusedAllreduce(gradients, workload.type(), ReduceOp.SUM));
    syncNanos += System.nanoTime() - began;
  }

  private void statistics(String layer, List<MemorySegment> parts, MemorySegment total) {
    StatisticsReducer.LOCAL.sum(layer, parts, total);
    groups.along(Use.STATISTICS, DATA).allreduce(total, DType.FLOAT64, ReduceOp.SUM);
  }

  @Override
  Network network() {
    return network;
  }

  @Override
  Optimizer optimizer() {
    return optimizer;
  }

  @Override
  long syncNanos() {
    return syncNanos;
  }

  private PlannedStep planned() {
    PlannedStep step = PlannedStep.of(samples.count());
    return rows.map(each -> step.sharding(each.stage())).orElse(step);
  }

  @Override
  PlanTraffic traffic() {
    PlannedGroups planned = PlannedGroups.onOneHost(mesh, rank);
    return PlanTraffic.of(plan(planned), planned, planned());
  }

  @Override
  PlanMemory memory() {
    PlannedGroups planned = PlannedGroups.onOneHost(mesh, rank);
    return PlanMemory.of(plan(planned), planned, planned(), STATE_VALUES, 1);
  }

  private LocalNetwork plan(PlannedGroups planned) {
    return Planner.plan(workload.network(), mesh, Strategy.USUAL, rank, planned::transfer);
  }

  @Override
  public void close() {
    optimizer.close();
    network.close();
    groups.close();
  }
}
