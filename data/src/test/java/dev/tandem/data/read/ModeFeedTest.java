package dev.tandem.data.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.LmdbSource;
import dev.tandem.data.RecordSource;
import dev.tandem.data.glyphs.GlyphDatabase;
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
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A loader fed by any read mode gives the batches that it gives from a plain source. */
class ModeFeedTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int RECORDS = 700;

  /** More than an epoch, and the last batch of the first runs into the second. */
  private static final int STEPS = 16;

  private static final Preparation PREPARATION =
      Preparation.plain(new ImageFormat(1, 28, 28, 10, 0, 1));

  static final List<String> MODES = ReadMode.CODES;

  @TempDir Path folder;
  private Path database;

  private final Steps steps =
      new Steps(new SampleOrder(new Seed(1), RECORDS, Shuffle.NONE), 50, EpochEnd.CIRCULAR);

  @BeforeEach
  void draw() {
    database = folder.resolve("glyphs");
    GlyphDatabase.write(database, new Seed(3), RECORDS, Progress.SILENT);
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void batchesAreThoseOfAPlainSource(String code) throws Exception {
    for (int ranks = 1; ranks <= 3; ranks++) {
      ReadMode mode = new ModeSettings(2, ModeSettings.DEFAULT.requests(), 0, 1).mode(code);
      int all = ranks;
      List<List<Integer>> fed = Watchdog.within(LIMIT, () -> load(mode, all, STEPS));
      for (int rank = 0; rank < ranks; rank++) {
        assertEquals(plain(rank, ranks), fed.get(rank), code + ", rank " + rank + " of " + ranks);
      }
    }
  }

  /** What is left is read and dropped, and nobody waits for anybody. */
  @ParameterizedTest
  @FieldSource("MODES")
  void closingEarlyEndsTheReading(String code) throws Exception {
    ReadMode mode = ModeSettings.DEFAULT.mode(code);
    List<List<Integer>> fed = Watchdog.within(LIMIT, () -> load(mode, 2, 3));
    assertEquals(plain(1, 2).subList(0, 3), fed.get(1));
  }

  @Test
  void otherOrdersAreRefused() {
    Steps shuffled =
        new Steps(new SampleOrder(new Seed(1), RECORDS, Shuffle.BY_INDEX), 50, EpochEnd.CIRCULAR);
    Plan plan = Plan.alone(3);
    try (Communicator alone = Communicator.alone()) {
      assertThrows(
          UsageException.class,
          () -> new ModeFeed(database, new ReadMode.Lmdb(), shuffled, plan, alone));
    }
  }

  /** A hash of every batch of every rank; ranks are threads. */
  private List<List<Integer>> load(ReadMode mode, int ranks, int taken) throws Exception {
    List<Callable<List<Integer>>> work = new ArrayList<>();
    for (Communicator communicator : Communicator.threads(ranks)) {
      Plan plan = new Plan(communicator.rank(), ranks, Position.START, STEPS);
      work.add(
          () -> {
            try (communicator;
                Loader loader =
                    new Loader(
                        part -> new ModeFeed(database, mode, steps, part, communicator),
                        PREPARATION,
                        plan,
                        LoaderOptions.DEFAULT.withFetchThreads(2))) {
              return batches(loader, taken);
            }
          });
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(ranks)) {
      List<List<Integer>> all = new ArrayList<>();
      for (Future<List<Integer>> done : threads.invokeAll(work)) {
        all.add(done.get());
      }
      return all;
    }
  }

  private List<Integer> plain(int rank, int ranks) {
    Plan plan = new Plan(rank, ranks, Position.START, STEPS);
    try (RecordSource source = LmdbSource.open(database);
        Loader loader = new Loader(source, steps, PREPARATION, plan, LoaderOptions.DEFAULT)) {
      return batches(loader, STEPS);
    }
  }

  private static List<Integer> batches(Loader loader, int count) {
    List<Integer> hashes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Batch batch = loader.next();
      hashes.add(
          31 * Arrays.hashCode(batch.images().toArray(ValueLayout.JAVA_BYTE))
              + Arrays.hashCode(batch.labels().toArray(ValueLayout.JAVA_BYTE)));
    }
    return hashes;
  }
}
