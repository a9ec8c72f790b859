package dev.tandem.train;

import dev.tandem.checkpoint.BackgroundCheckpoints;
import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.transport.Traffic;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.data.RecordSource;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.posix.DurableFiles;
import dev.tandem.sync.trace.StepMeter;
import dev.tandem.testkit.Watchdog;
import dev.tandem.train.batch.BatchSizing;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Trains with the ranks as threads of this JVM, each with an engine of one thread. */
final class ThreadRanks {

  private final RecordSource training;
  private final RecordSource test;
  private final Path folder;
  private Function<Communicator, RecordSource> reading;
  private Supplier<BatchSizing> sizing = () -> BatchSizing.FIXED;
  private Consumer<TrainingEvent> observer = event -> {};
  private boolean keeping = true;
  private boolean stoppable;
  private UnaryOperator<CheckpointStore> through = UnaryOperator.identity();

  /** What each rank sent in the last run before its last save. */
  final Map<Integer, Traffic> traffic = new ConcurrentHashMap<>();

  /** What rank 0 told of the last run. */
  final List<TrainingEvent> events = Collections.synchronizedList(new ArrayList<>());

  /** The parameters that rank 0 ended with, one row for each. */
  final List<float[]> parameters = new ArrayList<>();

  ThreadRanks(RecordSource training, RecordSource test, Path folder) {
    this.training = training;
    this.test = test;
    this.folder = folder;
  }

  ThreadRanks with(Supplier<BatchSizing> policy) {
    sizing = policy;
    return this;
  }

  /** Opens the training data in every rank, instead of what the constructor was given. */
  ThreadRanks reading(Function<Communicator, RecordSource> opener) {
    reading = opener;
    return this;
  }

  /** Lets a test stand between the run and its checkpoints. */
  ThreadRanks through(UnaryOperator<CheckpointStore> other) {
    through = other;
    return this;
  }

  /** Calls this for each event of rank 0, while all ranks are there. */
  ThreadRanks observing(Consumer<TrainingEvent> other) {
    observer = other;
    return this;
  }

  /** Ranks are asked after each step whether to stop, as those of a command are. */
  ThreadRanks stoppable() {
    stoppable = true;
    return this;
  }

  /** Keeps no copy of the parameters. */
  ThreadRanks keepingNothing() {
    keeping = false;
    return this;
  }

  /** Trains with so many ranks; gives their results in rank order. */
  List<TrainingEvent.Result> train(TrainingConfig config, int ranks, String name, boolean resume)
      throws Exception {
    events.clear();
    parameters.clear();
    return Watchdog.within(
        Duration.ofMinutes(3),
        () -> {
          try (ExecutorService threads = Executors.newFixedThreadPool(ranks)) {
            List<Callable<TrainingEvent.Result>> work = new ArrayList<>();
            for (Communicator communicator : Communicator.threads(ranks)) {
              work.add(() -> rank(config, communicator, folder.resolve(name), resume));
            }
            List<TrainingEvent.Result> results = new ArrayList<>();
            for (Future<TrainingEvent.Result> future : threads.invokeAll(work)) {
              results.add(result(future));
            }
            return results;
          }
        });
  }

  private static TrainingEvent.Result result(Future<TrainingEvent.Result> future) throws Exception {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /** Trains as one of the ranks. */
  TrainingEvent.Result rank(
      TrainingConfig config, Communicator communicator, Path path, boolean resume) {
    try (communicator;
        RecordSource own = reading == null ? null : reading.apply(communicator);
        RankNetwork split =
            RankNetwork.create(
                config, communicator, () -> Engine.start(1), config.networkOptions());
        Optimizer optimizer = config.optimizer().create(split.network());
        DistributedStep step =
            StepFactory.create(
                new StepContext(config, split, optimizer), new StepMeter("loader-"), path);
        BackgroundCheckpoints checkpoints =
            new BackgroundCheckpoints(
                communicator,
                config.checkpoint().local().isPresent()
                    ? config.checkpoint().levels(path, config.regression())
                    : List.of(new BackgroundCheckpoints.Level(path, 1, CheckpointOptions.DEFAULT)),
                DurableFiles.system(),
                line -> {},
                cost -> {})) {
      Trainer.Parts parts =
          new Trainer.Parts(
              communicator,
              own == null ? training : own,
              test,
              step,
              new CountedSaves(
                  through.apply(checkpoints),
                  () -> traffic.put(communicator.rank(), communicator.traffic())),
              sizing.get());
      Trainer trainer =
          new Trainer(config, parts, ((Consumer<TrainingEvent>) events::add).andThen(observer));
      if (stoppable) {
        trainer.stopWhen(() -> false);
      }
      if (resume) {
        trainer.resume();
      }
      TrainingEvent.Result result = trainer.run();
      if (communicator.rank() == 0 && keeping) {
        for (TensorView parameter : split.network().parameters()) {
          parameters.add(parameter.data().toArray(ValueLayout.JAVA_FLOAT));
        }
      }
      return result;
    }
  }

  /** A network as a rank makes it. */
  static Network network(TrainingConfig config) {
    return Network.create(
        Engine.start(1),
        config.network(),
        new Seed(config.seed()).derive("parameters"),
        config.networkOptions());
  }
}
