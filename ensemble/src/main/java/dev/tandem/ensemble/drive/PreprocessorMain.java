package dev.tandem.ensemble.drive;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.share.ShareOptions;
import dev.tandem.data.share.SharedSamples;
import dev.tandem.data.source.Sources;
import dev.tandem.train.config.ShareConfig;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A process that prepares samples for the members of an ensemble, until it is ended. */
public final class PreprocessorMain {

  private PreprocessorMain() {}

  /**
   * Prepares samples.
   *
   * @param arguments the folder of a member, the pipeline, which of the preprocessors this is, and
   *     how many there are
   */
  public static void main(String[] arguments) throws InterruptedException {
    if (arguments.length != 4) {
      throw new UsageException("a preprocessor takes a folder, a pipeline and two numbers");
    }
    TrainingConfig config = TrainingConfig.load(Path.of(arguments[0]));
    ShareConfig share = config.data().share().orElseThrow();
    int index = Integer.parseInt(arguments[2]);
    int count = Integer.parseInt(arguments[3]);
    try (RecordSource source =
        Sources.open(config.data().part(Split.TRAIN, config.seed()), config.data().locate())) {
      SampleOrder order =
          new SampleOrder(new Seed(config.dataSeed()), source.size(), config.data().shuffle());
      ShareOptions options =
          share.options(config.data().threads()).withThreads(config.data().threads());
      if (arguments[1].equals("multi-broadcast")) {
        options = options.withPart(index, count);
      }
      try (SharedSamples _ =
          SharedSamples.join(
              SharedSamples.place(share.name()),
              config.trainingSamples(),
              source,
              order,
              config.trainingPreparation(),
              options)) {
        new CountDownLatch(1).await(); // until the launcher ends it
      }
    }
  }
}
