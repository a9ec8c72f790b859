package dev.tandem.train;

import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.importing.SourceFormat.Split;
import dev.tandem.data.source.Sources;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.posix.DurableFiles;
import dev.tandem.sync.BlockingSynchronizer;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;

/** One rank of a training run: wires the parts and trains. Started once per rank. */
public final class RankMain {

  private RankMain() {}

  /**
   * Trains to the end; failures are exceptions.
   *
   * @param arguments the run's folder, in which {@code config.yaml} is
   */
  public static void main(String[] arguments) {
    if (arguments.length != 1) {
      throw new UsageException("a training rank takes one argument, the run's folder");
    }
    Path run = Path.of(arguments[0]);
    TrainingConfig config = TrainingConfig.load(run);
    Seed seed = new Seed(config.seed()).derive("parameters");
    try (Communicator communicator = Communicator.join();
        RecordSource training = Sources.open(Path.of(config.data().train()), Split.TRAIN);
        RecordSource test = Sources.open(Path.of(config.data().test()), Split.TEST);
        Network network =
            Network.create(
                Engine.start(config.compute().device(), threads(config, communicator)),
                config.network(),
                seed,
                config.networkOptions());
        Optimizer optimizer = config.optimizer().create(network);
        RunLog log = RunLog.open(run, communicator.rank())) {
      Trainer.Parts parts =
          new Trainer.Parts(
              communicator,
              training,
              test,
              network,
              optimizer,
              new BlockingSynchronizer(communicator),
              new FolderCheckpointStore(run.resolve("checkpoints"), DurableFiles.system()));
      new Trainer(config, parts, log::write).run();
    }
  }

  /** The ranks of a host share its processors. */
  private static int threads(TrainingConfig config, Communicator communicator) {
    int here = communicator.topology().localSize(communicator.rank());
    return config.threadsPerRank(here, Runtime.getRuntime().availableProcessors());
  }
}
