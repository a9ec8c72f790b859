package dev.tandem.train;

import dev.tandem.checkpoint.BackgroundCheckpoints;
import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.checkpoint.Preemption;
import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.importing.SourceFormat.Split;
import dev.tandem.data.source.Sources;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.exchange.NetworkFiles;
import dev.tandem.nn.weights.TakenWeights;
import dev.tandem.nn.weights.Weights;
import dev.tandem.posix.DurableFiles;
import dev.tandem.sync.trace.StepMeter;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

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
        WatchedSynchronizer synchronizer =
            WatchedSynchronizer.start(config, communicator, network, run);
        BackgroundCheckpoints checkpoints = checkpoints(config, communicator, run)) {
      Trainer.Parts parts =
          new Trainer.Parts(
              communicator,
              training,
              test,
              network,
              optimizer,
              synchronizer.synchronizer(),
              checkpoints,
              config.batch().sizing());
      train(config, parts, synchronizer.meter(), run, resume);
    }
  }

  private static void train(
      TrainingConfig config, Trainer.Parts parts, StepMeter meter, Path run, boolean resume) {
    boolean speaks = parts.communicator().rank() == 0;
    try (RunLog log = new RunLog(run);
        Preemption preemption = new Preemption(GRACE)) {
      Trainer trainer = new Trainer(config, parts, log::write);
      long made = resume ? trainer.resume() : 0;
      if (made == 0 && !config.fineTune().initFrom().isEmpty()) {
        Path file = Path.of(config.fineTune().initFrom());
        TakenWeights taken = NetworkFiles.weights(file).into(parts.network(), Weights.Unfit.KEPT);
        if (speaks) {
          System.err.println(taken.summary());
        }
      }
      if (speaks) {
        log.begin(made);
      }
      trainer.stopWhen(preemption::requested).watchedBy(meter).run();
    }
  }

  private static BackgroundCheckpoints checkpoints(
      TrainingConfig config, Communicator communicator, Path run) {
    BackgroundCheckpoints.Level folder =
        new BackgroundCheckpoints.Level(
            run.resolve(SavedRun.CHECKPOINTS),
            1,
            CheckpointOptions.DEFAULT.with(config.checkpoint().retention()));
    return new BackgroundCheckpoints(
        communicator, List.of(folder), DurableFiles.system(), System.err::println, cost -> {});
  }

  /** The ranks of a host share its processors. */
  private static int threads(TrainingConfig config, Communicator communicator) {
    int here = communicator.topology().localSize(communicator.rank());
    return config.threadsPerRank(here, Runtime.getRuntime().availableProcessors());
  }
}
