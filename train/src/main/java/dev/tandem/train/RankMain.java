package dev.tandem.train;

import dev.tandem.checkpoint.BackgroundCheckpoints;
import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.checkpoint.Preemption;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.importing.SourceFormat.Split;
import dev.tandem.data.source.Sources;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.weights.SafetensorsFile;
import dev.tandem.nn.weights.TakenWeights;
import dev.tandem.nn.weights.Weights;
import dev.tandem.posix.DurableFiles;
import dev.tandem.sync.BlockingSynchronizer;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** One rank of a training run: wires the parts and trains. Started once per rank. */
public final class RankMain {

  /** The argument that asks to go on from the newest checkpoint. */
  public static final String RESUME = "--resume";

  /** How long a rank that is asked to go (SIGTERM) may take to save; schedulers give 30 s. */
  public static final Duration GRACE = Duration.ofSeconds(25);

  private RankMain() {}

  /**
   * Trains to the end; failures are exceptions.
   *
   * @param arguments the run's folder, in which {@code config.yaml} is, and maybe {@link #RESUME}
   */
  public static void main(String[] arguments) {
    List<String> given = List.of(arguments);
    if (given.isEmpty() || given.size() > 2 || (given.size() == 2 && !given.contains(RESUME))) {
      throw new UsageException(
          "a training rank takes the run's folder and " + RESUME + " as arguments, not " + given);
    }
    Path run = Path.of(given.getFirst());
    TrainingConfig config = TrainingConfig.load(run);
    OutOfMemory.explained(config, () -> train(config, run, given.contains(RESUME)));
  }

  private static void train(TrainingConfig config, Path run, boolean resume) {
    try (Communicator communicator = Communicator.join();
        RecordSource training = Sources.open(Path.of(config.data().train()), Split.TRAIN);
        RecordSource test = Sources.open(Path.of(config.data().test()), Split.TEST);
        Network network =
            Network.create(
                Engine.start(config.compute().device(), threads(config, communicator)),
                config.network(),
                new Seed(config.seed()).derive("parameters"),
                config.networkOptions());
        Optimizer optimizer = config.optimizer().create(network);
        BackgroundCheckpoints checkpoints = checkpoints(communicator, run)) {
      Trainer.Parts parts =
          new Trainer.Parts(
              communicator,
              training,
              test,
              network,
              optimizer,
              new BlockingSynchronizer(communicator.at(level(config))),
              checkpoints);
      train(config, parts, run, resume);
    }
  }

  /** Every rank writes its part, while training goes on. */
  private static BackgroundCheckpoints checkpoints(Communicator communicator, Path run) {
    CheckpointOptions options = CheckpointOptions.DEFAULT;
    return new BackgroundCheckpoints(
        communicator,
        List.of(new BackgroundCheckpoints.Level(run.resolve(SavedRun.CHECKPOINTS), 1, options)),
        DurableFiles.system(),
        line -> System.err.println(line),
        cost -> {});
  }

  private static void train(TrainingConfig config, Trainer.Parts parts, Path run, boolean resume) {
    boolean speaks = parts.communicator().rank() == 0;
    AtomicReference<RunLog> told = new AtomicReference<>();
    Trainer trainer = new Trainer(config, parts, event -> told.get().write(event));
    // The newest checkpoint need not be good, so what is made is known after it was restored.
    long made = resume ? trainer.resume() : 0;
    try (RunLog log = speaks ? RunLog.open(run, made) : null;
        Preemption preemption = new Preemption(GRACE)) {
      told.set(log);
      if (!resume && !config.fineTune().initFrom().isEmpty()) {
        Path file = Path.of(config.fineTune().initFrom());
        TakenWeights taken = SafetensorsFile.read(file).into(parts.network(), Weights.Unfit.KEPT);
        if (speaks) {
          System.err.println(taken.summary());
        }
      }
      trainer.stopWhen(preemption::requested).run();
    }
  }

  /** The ranks of a host share its processors. */
  private static int threads(TrainingConfig config, Communicator communicator) {
    int here = communicator.topology().localSize(communicator.rank());
    return config.threadsPerRank(here, Runtime.getRuntime().availableProcessors());
  }

  private static Determinism level(TrainingConfig config) {
    return switch (config.determinism().level()) {
      case FAST -> Determinism.FAST;
      case RUN, ELASTIC -> Determinism.RUN;
    };
  }
}
