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
 * One rank of {@code tandem bench strategies}. Rank 0 prints three lines with the errors and one
 * with the formulas' figures of each strategy, then one for each turn.
 */
public final class StrategiesRankMain {

  static final String SERIAL = "serial";
  static final String DATA = "data";
  static final String COMPARED = "compared";
  static final String PLANNED = "planned";
  static final String TURN = "turn";

  /** What is compared with one process. */
  enum Comparison {
    FLOAT64,
    /** Float32 without kinks. */
    SMOOTH,
    FLOAT32
  }

  /** The axes that share a network, by the names of strategies; no axis for those apart. */
  private static final Map<String, Optional<String>> AXES = axes();

  private final Communicator communicator;

  private StrategiesRankMain(Communicator communicator) {
    this.communicator = communicator;
  }

  private static Map<String, Optional<String>> axes() {
    Map<String, Optional<String>> axes = new LinkedHashMap<>();
    axes.put(SERIAL, Optional.empty());
    axes.put(DATA, Optional.of(Mesh.DATA));
    axes.put("spatial", Optional.of("height"));
    axes.put("filter", Optional.of("filter"));
    axes.put("channel", Optional.of("channel"));
    axes.put("alternate", Optional.of("alternate"));
    axes.put("pipeline", Optional.of(Mesh.PIPELINE));
    axes.put("sharded", Optional.of(Mesh.DATA));
    return axes;
  }

  /** All strategies, in their order. */
  static List<String> strategies() {
    return List.copyOf(AXES.keySet());
  }

  /** Measures everything; arguments as {@link StrategiesEffort#arguments} has them. */
  public static void main(String[] arguments) {
    Reduction.prepare();
    StrategiesNetwork network = StrategiesNetwork.of(arguments[0]);
    try (Communicator communicator = Communicator.join()) {
      StrategiesRankMain rank = new StrategiesRankMain(communicator);
      for (Comparison comparison : Comparison.values()) {
        rank.compare(network, comparison);
      }
      rank.run(network, StrategiesEffort.of(arguments));
    }
  }

  /** This rank's part of a training; rank 0 alone has one of the whole network. */
  private Optional<StrategyTraining> training(String name, Workload workload, double[] times) {
    Optional<String> axis = AXES.get(name);
    if (axis.isEmpty()) {
      return communicator.rank() > 0
          ? Optional.empty()
          : Optional.of(
              SplitTraining.start(
                  Communicator.alone(),
                  workload,
                  new Mesh(List.of()),
                  Optional.empty(),
                  communicator.size()));
    }
    if (axis.get().equals(Mesh.PIPELINE)) {
      return Optional.of(StageTraining.start(communicator, workload, times));
    }
    Mesh mesh = Mesh.of(new Mesh.Axis(axis.get(), communicator.size()));
    Optional<ShardStage> rows =
        name.equals("sharded") ? Optional.of(ShardStage.PARAMETERS) : Optional.empty();
    return Optional.of(SplitTraining.start(communicator, workload, mesh, rows, 1));
  }

  /** How far parameters are from those of one process, of fewer samples than are measured. */
  private void compare(StrategiesNetwork network, Comparison comparison) {
    int batch = StageTraining.MICRO_BATCHES * communicator.size();
    try (Workload workload =
        switch (comparison) {
          case FLOAT64 -> new Workload(network.spec(), DType.FLOAT64, batch);
          case SMOOTH -> new Workload(network.smooth(), DType.FLOAT32, batch);
          case FLOAT32 -> new Workload(network.spec(), DType.FLOAT32, batch);
        }) {
      double[] times = StageTraining.times(communicator, workload);
      for (String name : strategies()) {
        double[] error = new double[1];
        training(name, workload, times)
            .ifPresent(
                training -> {
                  error[0] = training.error();
                  training.close();
                });
        communicator.allreduce(MemorySegment.ofArray(error), DType.FLOAT64, ReduceOp.MAX);
        print("%s %s %s %.9e".formatted(COMPARED, name, comparison, error[0]));
      }
    }
  }

  private void run(StrategiesNetwork network, StrategiesEffort effort) {
    try (Workload workload = new Workload(network.spec(), DType.FLOAT32, network.batch())) {
      double[] times = StageTraining.times(communicator, workload);
      Map<String, Optional<StrategyTraining>> trainings = new LinkedHashMap<>();
      strategies().forEach(name -> trainings.put(name, training(name, workload, times)));
      trainings.forEach(this::planned);
      List<String> names = new ArrayList<>(strategies());
      for (int round = 0; round < effort.rounds(); round++) {
        for (String name : round % 2 == 0 ? names : names.reversed()) {
          communicator.barrier();
          turn(name, trainings.get(name), effort.steps());
        }
      }
      trainings.values().forEach(each -> each.ifPresent(StrategyTraining::close));
    }
  }

  private void planned(String name, Optional<StrategyTraining> training) {
    double[] memory = {training.map(each -> (double) each.memory().total()).orElse(0.0)};
    double[] bytes = {
      training.map(each -> (double) each.traffic().total().bytesSent()).orElse(0.0)
    };
    communicator.allreduce(MemorySegment.ofArray(memory), DType.FLOAT64, ReduceOp.MAX);
    communicator.allreduce(MemorySegment.ofArray(bytes), DType.FLOAT64, ReduceOp.SUM);
    print(String.format(Locale.ROOT, "%s %s %.0f %.0f", PLANNED, name, memory[0], bytes[0]));
  }

  private void turn(String name, Optional<StrategyTraining> training, int steps) {
    if (AXES.get(name).isEmpty()) {
      training.ifPresent(each -> print(name, each.measure(steps)));
      communicator.barrier();
    } else {
      print(name, training.orElseThrow().measure(steps).ofAll(communicator));
    }
  }

  private void print(String name, StepFigures figures) {
    print("%s %s %s".formatted(TURN, name, figures.line()));
  }

  private void print(String line) {
    if (communicator.rank() == 0) {
      System.out.println(line);
    }
  }
}
