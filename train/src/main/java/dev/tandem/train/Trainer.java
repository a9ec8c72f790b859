package dev.tandem.train;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Loader;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.Preparation;
import dev.tandem.data.load.StallReport;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.nn.Evaluation;
import dev.tandem.nn.Gradients;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.Schedule;
import dev.tandem.sync.GradientSynchronizer;
import dev.tandem.train.Phases.Phase;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Consumer;

/**
 * One rank's training loop, data-parallel: every rank computes the gradients of its share of a
 * step's samples, all gradients are summed, every rank makes the same update. All ranks call {@link
 * #run} with the same configuration; it uses the calling thread and the loaders' threads.
 */
public final class Trainer {

  /** What a rank trains with; all of it belongs to the caller. */
  public record Parts(
      Communicator communicator,
      RecordSource training,
      RecordSource test,
      Network network,
      Optimizer optimizer,
      GradientSynchronizer synchronizer,
      CheckpointStore checkpoints) {}

  private final TrainingConfig config;
  private final Parts parts;
  private final Communicator communicator;
  private final Consumer<TrainingEvent> events;
  private final Steps order;
  private final long steps;
  private final Phases phases = new Phases();

  /**
   * A rank of a run that has not begun.
   *
   * @param events told on rank 0; elsewhere nothing is told
   */
  public Trainer(TrainingConfig config, Parts parts, Consumer<TrainingEvent> events) {
    this.config = config;
    this.parts = parts;
    this.communicator = parts.communicator();
    this.events = communicator.rank() == 0 ? events : event -> {};
    this.order = steps(parts.training(), config.batch().global());
    this.steps = order.stepsFor(config.epochs());
  }

  /** Trains all epochs; a lost rank ends it with {@link dev.tandem.core.PeerLostException}. */
  public TrainingEvent.Result run() {
    Schedule schedule = config.schedule().over(order.stepsFor(1), steps);
    TensorView gradients = // the whole network's, in one piece
        new TensorView(
            "gradients",
            DType.FLOAT32,
            Shape.of(parts.network().gradientBuffer().byteSize() / Float.BYTES),
            parts.network().gradientBuffer());
    long images = 0;
    double trainSeconds = 0;
    Evaluation test = Evaluation.NONE;
    try (Loader loader = loader(parts.training(), config.trainingPreparation(), order, steps)) {
      long began = System.nanoTime();
      for (long step = 0; step < steps; step++) {
        Batch batch = phases.in(Phase.READ, loader::next); // images: count x C x H x W
        double loss = phases.in(Phase.COMPUTE, () -> gradientsOf(batch));
        phases.in(
            Phase.SYNC,
            () -> {
              parts.synchronizer().submit(gradients, (float) batch.weight());
              parts.synchronizer().await();
            });
        double learningRate =
            schedule.rate(step) * config.schedule().scale(config.batch().global());
        if (config.guard().clip() > 0) {
          phases.in(Phase.COMPUTE, () -> Gradients.clip(parts.network(), config.guard().clip()));
        }
        phases.in(Phase.COMPUTE, () -> parts.optimizer().step(learningRate));

        images += batch.globalCount();
        long total = config.epochs() * parts.training().size();
        double globalLoss = sum(loss * batch.weight());
        events.accept(new TrainingEvent.Step(step + 1, images, total, globalLoss));
        if ((step + 1) % order.stepsFor(1) == 0) {
          trainSeconds += (System.nanoTime() - began) / 1e9;
          test = evaluate();
          long epoch = (step + 1) / order.stepsFor(1);
          events.accept(new TrainingEvent.Epoch(epoch, step + 1, test.accuracy(), test.meanLoss()));
          StallReport stalls = loader.stalls();
          events.accept(new TrainingEvent.Loading(step + 1, stalls.bottleneck(), stalls));
          began = System.nanoTime();
        }
      }
    }
    return finish(test, images, trainSeconds);
  }

  /** A rank without samples in this step still takes part, with zeros. */
  private double gradientsOf(Batch batch) {
    if (batch.count() == 0) {
      parts.network().gradientBuffer().fill((byte) 0);
      return 0;
    }
    return parts.network().forwardBackward(batch.images(), batch.labels(), batch.count());
  }

  private TrainingEvent.Result finish(Evaluation test, long images, double trainSeconds) {
    StateTree state =
        parts
            .optimizer()
            .stateTree(
                Map.of(
                    "step", Long.toString(steps),
                    "epoch", Long.toString(config.epochs()),
                    "seed", Long.toString(config.seed())));
    byte[] digest = Replicas.digest(state);
    boolean identical = Replicas.identical(communicator, digest);
    long began = System.nanoTime();
    // The replicas are equal, so one rank's copy is everybody's.
    Path checkpoint = communicator.rank() == 0 ? parts.checkpoints().save(steps, state) : null;
    communicator.barrier();
    double checkpointSeconds = (System.nanoTime() - began) / 1e9;
    TrainingEvent.Result result =
        new TrainingEvent.Result(
            test.accuracy(),
            test.meanLoss(),
            images / trainSeconds,
            communicator.size(),
            identical,
            HexFormat.of().formatHex(digest),
            steps,
            trainSeconds,
            phases.seconds(Phase.READ),
            phases.seconds(Phase.COMPUTE),
            phases.seconds(Phase.SYNC),
            checkpointSeconds,
            String.valueOf(checkpoint));
    events.accept(result);
    return result;
  }

  /** Each rank evaluates its share; everybody gets the whole. */
  private Evaluation evaluate() {
    Steps testSteps = steps(parts.test(), config.validation().batch());
    Evaluation own = Evaluation.NONE;
    try (Loader loader =
        loader(parts.test(), config.testPreparation(), testSteps, testSteps.stepsFor(1))) {
      while (loader.hasNext()) {
        Batch batch = loader.next();
        if (batch.count() > 0) {
          own = own.plus(parts.network().evaluate(batch.images(), batch.labels(), batch.count()));
        }
      }
    }
    double[] sums = allreduce((double) own.samples(), (double) own.correct(), own.lossSum());
    return new Evaluation((long) sums[0], (long) sums[1], sums[2]);
  }

  private Steps steps(RecordSource source, int globalBatch) {
    SampleOrder samples = new SampleOrder(new Seed(config.seed()), source.size(), Shuffle.BY_INDEX);
    return new Steps(samples, globalBatch, EpochEnd.EXACT);
  }

  private Loader loader(RecordSource source, Preparation preparation, Steps cut, long count) {
    Plan plan = new Plan(communicator.rank(), communicator.size(), Position.START, count);
    return new Loader(source, cut, preparation, plan, config.data().loader());
  }

  private double sum(double value) {
    return allreduce(value)[0];
  }

  private double[] allreduce(double... values) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment segment = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, values);
      communicator.allreduce(segment, DType.FLOAT64, ReduceOp.SUM);
      return segment.toArray(ValueLayout.JAVA_DOUBLE);
    }
  }
}
