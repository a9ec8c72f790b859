package dev.tandem.bench.servers;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.comm.topology.ClusterMap;
import dev.tandem.comm.topology.Level;
import dev.tandem.comm.topology.RankPlaces;
import dev.tandem.core.DType;
import dev.tandem.data.LmdbSource;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Loader;
import dev.tandem.nn.Evaluation;
import dev.tandem.nn.Optimizer;
import dev.tandem.servers.ServerLayout;
import dev.tandem.servers.TrafficBytes;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.plan.TrainingGraph;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.train.ServedParameters;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** One rank of {@code tandem bench servers}. Rank 0 prints a line for each turn. */
public final class ServersRankMain {

  static final String TRAINING = "train";
  static final String TEST = "test";

  /** Simulated; see {@code Note [a simulated topology]}. */
  static final int HOSTS = 2;

  private static final int COMPILING_STEPS = 20;

  private final Communicator communicator;
  private final ServersWorkload workload;
  private final ServersEffort effort;

  private ServersRankMain(
      Communicator communicator, ServersWorkload workload, ServersEffort effort) {
    this.communicator = communicator;
    this.workload = workload;
    this.effort = effort;
  }

  /** Measures everything; arguments as {@link ServersEffort#arguments} has them. */
  public static void main(String[] arguments) {
    Reduction.prepare();
    long began = System.nanoTime();
    Path folder = Path.of(arguments[0]);
    try (Communicator communicator = Communicator.join();
        RecordSource training = LmdbSource.open(folder.resolve(TRAINING));
        RecordSource test = LmdbSource.open(folder.resolve(TEST));
        ServersWorkload workload = new ServersWorkload(communicator, training, test)) {
      new ServersRankMain(communicator, workload, ServersEffort.of(arguments)).run(began);
    }
  }

  private void run(long began) {
    List<ServersTurn> turns = ServersTurn.all(communicator.size(), effort.staleness());
    // A lap that does not count: whatever has to be compiled is.
    turns.stream()
        .filter(turn -> turn.late() == Lateness.EACH)
        .forEach(turn -> measure(turn, COMPILING_STEPS));
    long first = System.nanoTime();
    for (int round = 0; round < effort.rounds() && fits(began, first, round); round++) {
      for (ServersTurn turn : round % 2 == 0 ? turns : turns.reversed()) {
        ServersMeasurement measured = measure(turn, effort.steps());
        if (communicator.rank() == 0) {
          System.out.println("%d %s %s".formatted(round, turn, measured.line()));
        }
      }
    }
  }

  /** Whether there is time for another round, if it takes as long as those before. */
  private boolean fits(long began, long first, int round) {
    long now = System.nanoTime();
    long each = round == 0 ? 0 : (now - first) / round;
    boolean fits = round == 0 || now - began + each <= effort.limit().toNanos();
    // All ranks must come to the same answer.
    return all(ReduceOp.MIN, fits ? 1 : 0)[0] > 0;
  }

  private double[] all(ReduceOp op, double... values) {
    communicator.allreduce(MemorySegment.ofArray(values), DType.FLOAT64, op);
    return values;
  }

  private ServersMeasurement measure(ServersTurn turn, int steps) {
    try (Optimizer optimizer = workload.begin();
        Loader samples = workload.samples(steps)) {
      return turn.mode().equals(ServersTurn.ALLREDUCE)
          ? allreduced(turn, steps, samples, optimizer)
          : served(turn, steps, samples, optimizer);
    }
  }

  private ServersMeasurement allreduced(
      ServersTurn turn, int steps, Loader samples, Optimizer optimizer) {
    try (Synchronizer synchronizer =
        Synchronizer.over(communicator, SyncOptions.of("buckets"))
            .planning(TrainingGraph.of(workload.network().gradientGraph()))
            .gradients(workload.network().gradientBuffer(), workload.network().gradients())
            .start()) {
      communicator.barrier();
      long began = System.nanoTime();
      for (int step = 0; step < steps; step++) {
        Batch batch = samples.next();
        late(turn, step);
        workload.gradients(batch, step, (run, p, gradient) -> synchronizer.submit(gradient, 1));
        synchronizer.await();
        optimizer.step(ServersWorkload.LEARNING_RATE);
      }
      return result(began, System.nanoTime(), ring(steps), 0);
    }
  }

  /** What a ring through all ranks would move; computed, because memory is shared here. */
  private TrafficBytes ring(int steps) {
    int ranks = communicator.size();
    long link = 2 * workload.network().gradientBuffer().byteSize() * (ranks - 1) / ranks * steps;
    return communicator.rank() == 0
        ? new TrafficBytes((ranks - HOSTS) * link, HOSTS * link)
        : TrafficBytes.NOTHING; // rank 0 has counted for all
  }

  private ServersMeasurement served(
      ServersTurn turn, int steps, Loader samples, Optimizer optimizer) {
    try (ServedParameters served =
        new ServedParameters(
            communicator,
            layout(turn),
            turn.staleness(),
            true,
            ServersWorkload.RULE,
            workload.network(),
            optimizer)) {
      served.drain();
      TrafficBytes drain = served.servers().traffic();
      communicator.barrier();
      long began = System.nanoTime();
      for (int step = 0; step < steps; step++) {
        Batch batch = samples.next();
        late(turn, step);
        served.pull();
        workload.gradients(batch, step, (run, p, gradient) -> {});
        served.push(ServersWorkload.LEARNING_RATE);
      }
      served.pull();
      long end = System.nanoTime();
      served.drain();
      TrafficBytes moved =
          served.servers().traffic().since(drain).since(drain); // of the steps alone
      ServersMeasurement measured = result(began, end, moved, served.servers().meanLag());
      served.servers().finish();
      return measured;
    }
  }

  private ServerLayout layout(ServersTurn turn) {
    int perHost = communicator.size() / HOSTS;
    List<String> hosts =
        IntStream.range(0, communicator.size()).mapToObj(rank -> "host-" + rank / perHost).toList();
    ServerLayout layout = ServerLayout.beside(new RankPlaces(hosts, ClusterMap.flat()));
    return turn.mode().equals(ServersTurn.PROXIES)
        ? layout.withProxies(List.of(Level.NODE))
        : layout;
  }

  private void late(ServersTurn turn, int step) {
    turn.late().pause(ServersWorkload.SEED, communicator.rank(), communicator.size(), step);
  }

  private ServersMeasurement result(long began, long end, TrafficBytes moved, double lag) {
    double seconds = all(ReduceOp.MAX, (end - began) / 1e9)[0];
    double[] sums =
        all(ReduceOp.SUM, (double) moved.near(), (double) moved.far(), lag / communicator.size());
    // Rank 0 prints; it looks at its parameters, which all ranks have alike.
    Evaluation evaluation = communicator.rank() == 0 ? workload.evaluate() : Evaluation.NONE;
    return new ServersMeasurement(
        seconds,
        new TrafficBytes((long) sums[0], (long) sums[1]),
        sums[2],
        evaluation.meanLoss(),
        evaluation.accuracy());
  }
}
