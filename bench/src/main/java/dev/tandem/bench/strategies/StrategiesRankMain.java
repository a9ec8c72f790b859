package dev.tandem.bench.strategies;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.shard.ShardStage;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * One rank of {@code tandem bench strategies}. Rank 0 prints a line with the error and the
 * formulas' figures of each strategy, then one for each turn.
 */
public final class StrategiesRankMain {

  static final String SERIAL = "serial";
  static final String DATA = "data";
  static final String PLANNED = "planned";
  static final String TURN = "turn";

  private final Communicator communicator;
  private final Map<String, StrategyTraining> trainings = new LinkedHashMap<>();

  private StrategiesRankMain(Communicator communicator, Workload workload) {
    this.communicator = communicator;
    if (communicator.rank() == 0) {
      int threads = communicator.size();
      Mesh alone = new Mesh(List.of());
      trainings.put(
          SERIAL,
          new SplitTraining(Communicator.alone(), workload, alone, Optional.empty(), threads));
    }
    split(workload, DATA, Mesh.DATA, Optional.empty());
    split(workload, "spatial", "height", Optional.empty());
    split(workload, "filter", "filter", Optional.empty());
    split(workload, "channel", "channel", Optional.empty());
    split(workload, "alternate", "alternate", Optional.empty());
    trainings.put("pipeline", new StageTraining(communicator, workload));
    split(workload, "sharded", Mesh.DATA, Optional.of(ShardStage.PARAMETERS));
  }

  private void split(Workload workload, String name, String axis, Optional<ShardStage> shard) {
    Mesh mesh = Mesh.of(new Mesh.Axis(axis, communicator.size()));
    trainings.put(name, new SplitTraining(communicator, workload, mesh, shard, 1));
  }

  /** Measures everything; arguments as {@link StrategiesEffort#arguments} has them. */
  public static void main(String[] arguments) {
    Reduction.prepare();
    StrategiesNetwork network = StrategiesNetwork.of(arguments[0]);
    try (Communicator communicator = Communicator.join();
        Workload workload = new Workload(network.spec(), network.batch())) {
      StrategiesRankMain rank = new StrategiesRankMain(communicator, workload);
      rank.run(StrategiesEffort.of(arguments));
      rank.trainings.values().forEach(StrategyTraining::close);
    }
  }

  private void run(StrategiesEffort effort) {
    List<String> names = names();
    names.forEach(this::planned);
    for (int round = 0; round < effort.rounds(); round++) {
      for (String name : round % 2 == 0 ? names : names.reversed()) {
        communicator.barrier();
        turn(name, effort.steps());
      }
    }
  }

  /** Those of all ranks: rank 0 has one more. */
  private List<String> names() {
    List<String> names = new ArrayList<>(trainings.keySet());
    if (!names.contains(SERIAL)) {
      names.addFirst(SERIAL);
    }
    return names;
  }

  private void planned(String name) {
    double[] most = new double[2];
    double[] bytes = new double[1];
    StrategyTraining training = trainings.get(name);
    if (training != null) {
      most[0] = training.error();
      most[1] = (double) training.memory().total();
      bytes[0] = (double) training.traffic().total().bytesSent();
    }
    communicator.allreduce(MemorySegment.ofArray(most), DType.FLOAT64, ReduceOp.MAX);
    communicator.allreduce(MemorySegment.ofArray(bytes), DType.FLOAT64, ReduceOp.SUM);
    if (communicator.rank() == 0) {
      System.out.println(
          String.format(
              Locale.ROOT, "%s %s %.9e %.0f %.0f", PLANNED, name, most[0], most[1], bytes[0]));
    }
  }

  private void turn(String name, int steps) {
    StrategyTraining training = trainings.get(name);
    if (name.equals(SERIAL)) {
      if (training != null) {
        print(name, training.measure(steps));
      }
      communicator.barrier();
    } else {
      print(name, training.measure(steps).ofAll(communicator));
    }
  }

  private void print(String name, StepFigures figures) {
    if (communicator.rank() == 0) {
      System.out.println("%s %s %s".formatted(TURN, name, figures.line()));
    }
  }
}
