package dev.tandem.data.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.RecordSource;
import dev.tandem.data.importing.DatabaseBuilder;
import dev.tandem.data.importing.SyntheticRecords;
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
import dev.tandem.data.read.mode.CacheDecision;
import dev.tandem.data.read.mode.CachePolicy;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.posix.PageCache;
import dev.tandem.testkit.Watchdog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every mode gives loaders the same batches, on any number of ranks and from any position. */
class LmdbSourcesTest {

  private static final int RECORDS = 700;
  private static final int BATCH = 64;
  private static final ImageFormat FORMAT = new ImageFormat(3, 32, 32, 10, 0.5, 0.25);

  @TempDir Path folder;

  private Path database;

  @BeforeEach
  void write() {
    database = folder.resolve("database");
    new DatabaseBuilder(database, true, WriterOptions.DEFAULT, 100, Progress.SILENT)
        .build(new SyntheticRecords(SyntheticRecords.Kind.CIFAR, RECORDS, new Seed(5)));
  }

  /** A checksum of every batch of every rank, from a position to the end of the third epoch. */
  private List<List<Long>> load(LoadRequest request, int ranks, long firstStep) throws Exception {
    List<Callable<List<Long>>> work = new ArrayList<>();
    for (Communicator communicator : Communicator.threads(ranks)) {
      work.add(
          () -> {
            try (communicator) {
              return load(request, communicator, firstStep);
            }
          });
    }
    return Watchdog.within(
        Duration.ofMinutes(2),
        () -> {
          try (ExecutorService threads = Executors.newFixedThreadPool(ranks)) {
            List<List<Long>> sums = new ArrayList<>();
            for (Future<List<Long>> done : threads.invokeAll(work)) {
              sums.add(done.get());
            }
            return sums;
          }
        });
  }

  private List<Long> load(LoadRequest request, Communicator communicator, long firstStep) {
    List<Long> sums = new ArrayList<>();
    try (RecordSource source = LmdbSources.open(database, request, communicator, line -> {})) {
      SampleOrder order = new SampleOrder(new Seed(3), source.size(), request.shuffle());
      Steps steps = new Steps(order, BATCH, EpochEnd.EXACT);
      Position from = steps.position(firstStep);
      Plan plan =
          new Plan(communicator.rank(), communicator.size(), from, steps.stepsFor(3) - firstStep);
      try (Loader loader =
          new Loader(source, steps, Preparation.plain(FORMAT), plan, LoaderOptions.DEFAULT)) {
        while (loader.hasNext()) {
          Batch batch = loader.next();
          CRC32C sum = new CRC32C();
          sum.update(batch.images().asByteBuffer());
          sum.update(batch.labels().asByteBuffer());
          sums.add(sum.getValue());
          // As training does: nobody is a step ahead of the others.
          communicator.barrier();
        }
      }
    }
    return sums;
  }

  @ParameterizedTest
  @EnumSource(ReadMode.class)
  void everyModeGivesTheSameBatches(ReadMode mode) throws Exception {
    LoadRequest plain =
        new LoadRequest(ReadMode.LMDB, CachePolicy.NONE, Locate.AUTO, Shuffle.NONE, 3);
    for (int ranks = 1; ranks <= 3; ranks++) {
      List<List<Long>> expected = load(plain, ranks, 0);
      assertEquals(33, expected.getFirst().size());
      for (CachePolicy cache : CachePolicy.values()) {
        PageCache.capability().orElseThrow().drop(database.resolve("data.mdb"));
        LoadRequest request = new LoadRequest(mode, cache, Locate.AUTO, Shuffle.NONE, 3);
        assertEquals(expected, load(request, ranks, 0), request + " on " + ranks);
      }
      // In the middle of the second epoch.
      List<List<Long>> rest = expected.stream().map(sums -> sums.subList(16, 33)).toList();
      LoadRequest resumed = new LoadRequest(mode, CachePolicy.NONE, Locate.AUTO, Shuffle.NONE, 3);
      assertEquals(rest, load(resumed, ranks, 16), mode + " on " + ranks);
    }
  }

  @ParameterizedTest
  @EnumSource(ReadMode.class)
  void shuffledOrdersAreServedOrRefused(ReadMode mode) throws Exception {
    if (mode.keyOrder()) {
      UsageException refused =
          assertThrows(
              UsageException.class,
              () -> new LoadRequest(mode, CachePolicy.AUTO, Locate.AUTO, Shuffle.BY_INDEX, 1));
      assertTrue(refused.getMessage().contains("key order"), refused.getMessage());
      return;
    }
    LoadRequest plain =
        new LoadRequest(ReadMode.LMDB, CachePolicy.NONE, Locate.AUTO, Shuffle.BY_INDEX, 3);
    LoadRequest request = new LoadRequest(mode, CachePolicy.AUTO, Locate.AUTO, Shuffle.BY_INDEX, 3);
    List<List<Long>> expected = load(plain, 2, 0);
    PageCache.capability().orElseThrow().drop(database.resolve("data.mdb"));
    assertEquals(expected, load(request, 2, 0));
  }

  @Test
  void dataThatFitsAndIsReadAgainGoesToMemory() {
    assertTrue(CacheDecision.decide(100, 1000, 2, true).memory());
    assertTrue(CacheDecision.decide(100, 1000, 1, false).memory());
    assertEquals(false, CacheDecision.decide(100, 1000, 1, true).memory());
    assertEquals(false, CacheDecision.decide(900, 1000, 5, false).memory());
  }

  @Test
  void whatWasDecidedIsOneLine() {
    List<String> lines = new ArrayList<>();
    LoadRequest request =
        new LoadRequest(ReadMode.AUTO, CachePolicy.AUTO, Locate.AUTO, Shuffle.BY_INDEX, 2);
    LmdbSources.open(database, request, Communicator.alone(), lines::add).close();
    assertEquals(1, lines.size());
    assertTrue(lines.getFirst().startsWith("read: prov; cache: memory"), lines.getFirst());
  }
}
