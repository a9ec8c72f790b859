package dev.tandem.bench.strategies;

import dev.tandem.comm.Communicator;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.Samples;
import dev.tandem.nn.TrainingStep;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.parallel.cost.PlanTraffic;
import dev.tandem.parallel.cost.PlannedGroups;
import dev.tandem.parallel.cost.PlannedStep;
import dev.tandem.parallel.exchange.NoTransfer;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.stage.Balance;
import dev.tandem.parallel.stage.LayerTimes;
import dev.tandem.parallel.stage.Schedule;
import dev.tandem.parallel.stage.StageCuts;
import dev.tandem.parallel.stage.StageGroups;
import dev.tandem.parallel.stage.StageRun;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Training in stages, with one forward and one backward pass in turn. */
final class StageTraining extends StrategyTraining {

  static final int MICRO_BATCHES = 8;

  private final Mesh mesh;
  private final int stage;
  private final StageCuts cuts;
  private final List<Integer> begins;
  private final StageGroups groups;
  private final Network network;
  private final Optimizer optimizer;
  private final StageRun run;
  private final Map<Integer, Samples> pieces = new TreeMap<>();

  private StageTraining(
      Communicator all,
      Workload workload,
      Mesh mesh,
      StageCuts cuts,
      List<Integer> begins,
      StageGroups groups,
      LocalNetwork local,
      Engine engine) {
    super(all, workload, engine, local, false);
    this.mesh = mesh;
    this.cuts = cuts;
    this.begins = begins;
    this.groups = groups;
    stage = all.rank();
    network = workload.network(local, engine, Optional.empty());
    optimizer = Workload.optimizer(network);
    StageRun.Manner manner = new StageRun.Manner(new Schedule.OneForwardOneBackward(), false);
    run = new StageRun(network, groups, manner, stage, all.size());
    for (int i = 0; i < MICRO_BATCHES; i++) {
      int from = workload.batch() * i / MICRO_BATCHES;
      int count = workload.batch() * (i + 1) / MICRO_BATCHES - from;
      pieces.put(from, workload.samples(local, from, count));
    }
  }

  /**
   * The training of a rank; all ranks make theirs at the same time.
   *
   * @param times of the network's layers, the same on all ranks
   */
  static StageTraining start(Communicator all, Workload workload, double[] times) {
    Mesh mesh = Mesh.of(new Mesh.Axis(Mesh.PIPELINE, all.size()));
    StageCuts cuts = new StageCuts(LocalNetwork.undivided(workload.network()), Set.of());
    List<Integer> begins = new Balance(cuts, times, new double[times.length]).begins(all.size());
    StageGroups groups = StageGroups.of(all, mesh);
    LocalNetwork local = cuts.stage(begins, all.rank(), groups.before(), groups.after());
    return new StageTraining(all, workload, mesh, cuts, begins, groups, local, Engine.start(1));
  }

  /** What layers take, by rank 0's clock; all ranks call this together. */
  static double[] times(Communicator all, Workload workload) {
    double[] times = new double[workload.network().nodes().size()];
    if (all.rank() == 0) {
      int piece = Math.max(1, workload.batch() / MICRO_BATCHES);
      times = LayerTimes.of(Engine.start(1), workload.network(), piece, workload.type(), Set.of());
    }
    all.broadcast(MemorySegment.ofArray(times), 0);
    return times;
  }

  @Override
  int pieces() {
    return MICRO_BATCHES;
  }

  @Override
  void passes(int step, boolean together, LayerClock timer) {
    TrainingStep training =
        TrainingStep.of(Workload.SEED, step).withMeanOver(workload.batch()).withTimer(timer);
    List<StageRun.Piece> parts = new ArrayList<>();
    for (Map.Entry<Integer, Samples> piece : pieces.entrySet()) {
      parts.add(
          new StageRun.Piece(
              piece.getValue().count(), piece::getValue, training.withFirstSample(piece.getKey())));
    }
    double _ = run.run(parts, _ -> {});
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
    return 0;
  }

  private LocalNetwork plan() {
    return cuts.stage(
        begins,
        stage,
        groups.before().map(_ -> new NoTransfer(2, 1)),
        groups.after().map(_ -> new NoTransfer(2, 0)));
  }

  private PlannedStep planned() {
    return PlannedStep.of(workload.batch()).inPasses(MICRO_BATCHES, false);
  }

  @Override
  PlanTraffic traffic() {
    return PlanTraffic.of(plan(), PlannedGroups.onOneHost(mesh, stage), planned());
  }

  @Override
  PlanMemory memory() {
    int open = Math.min(MICRO_BATCHES, mesh.size() - stage);
    return PlanMemory.of(
        plan(), PlannedGroups.onOneHost(mesh, stage), planned(), STATE_VALUES, open);
  }

  @Override
  public void close() {
    optimizer.close();
    network.close();
    groups.close();
  }
}
