package dev.tandem.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.augment.Augmentations;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.augment.PixelStatistics;
import dev.tandem.data.augment.RandomCrop;
import dev.tandem.data.augment.RandomFlip;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.decode.SampleDecoder;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.importing.DatabaseBuilder;
import dev.tandem.data.importing.SyntheticRecords;
import dev.tandem.data.load.BadRecords;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Loader;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.Preparation;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.data.source.Sources;
import dev.tandem.lmdb.write.WriterOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of docs/loading.md, so that it compiles and holds. */
class TutorialTest {

  @TempDir Path folder;

  @Test
  void loadingAnEpoch() {
    Path path = folder.resolve("cifar.db");
    new DatabaseBuilder(path, false, WriterOptions.DEFAULT, 1000, Progress.SILENT)
        .build(new SyntheticRecords(SyntheticRecords.Kind.CIFAR, 1_000, new Seed(1)));
    int rank = 0;
    int ranks = 2;
    Seed seed = new Seed(42);

    // docs/loading.md begins here
    try (RecordSource source = Sources.open(path, SourceFormat.Split.TRAIN)) {
      SampleDecoder decoder = new DatumDecoder(3);
      Normalisation normalisation = PixelStatistics.of(source, decoder, 10_000, Progress.SILENT);
      Preparation preparation =
          new Preparation(
              decoder,
              Augmentations.of(new RandomCrop(32, 32, 4), new RandomFlip()),
              normalisation,
              new ImageFormat(3, 32, 32, 10, 0, 1),
              seed);

      SampleOrder order = new SampleOrder(seed, source.size(), Shuffle.BY_INDEX);
      Steps steps = new Steps(order, 128, EpochEnd.EXACT);
      LoaderOptions options =
          LoaderOptions.DEFAULT.withThreads(4).withBadRecords(new BadRecords.Skip(10));

      String saved;
      Plan first = new Plan(rank, ranks, Position.START, steps.stepsFor(1));
      try (Loader loader = new Loader(source, steps, preparation, first, options)) {
        Batch batch = loader.next(); // batch.images(): 64 x 3 x 32 x 32 floats, until next()
        assertEquals(64, batch.count());
        saved = steps.save(loader.position()); // a line for the checkpoint
        System.out.println(loader.stalls().sentence());
      }

      // Another day, with three ranks: goes on where the two stopped, and reads nothing before.
      Plan rest = new Plan(rank, 3, steps.restore(saved), steps.stepsFor(1) - 1);
      try (Loader loader = new Loader(source, steps, preparation, rest, options)) {
        while (loader.hasNext()) {
          Batch batch = loader.next();
          assertTrue(batch.count() > 0);
        }
      }
    }
    // and ends here
  }
}
