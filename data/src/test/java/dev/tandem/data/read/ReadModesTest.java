package dev.tandem.data.read;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.data.read.mode.BatchPlan;
import dev.tandem.data.read.mode.CachePolicy;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ModeSettings;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.data.read.mode.ReadRequest;
import dev.tandem.data.read.mode.Shares;
import dev.tandem.data.read.request.Requests;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.write.BulkWriter;
import dev.tandem.lmdb.write.EnvironmentWriter;
import dev.tandem.lmdb.write.WriteTransaction;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every mode gives every reader exactly the records that a plain cursor says, in their order. */
class ReadModesTest {

  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(Layout.class)
  void everyModeGivesTheRecordsOfAPlainCursor(Layout layout) throws Exception {
    SplittableRandom random = TestSeed.of(ReadModesTest.class).random();
    Path database = folder.resolve(layout.name());
    layout.write(database, random);
    List<Long> plain = plain(database);
    for (Way mode : modes(random)) {
      check(database, plain, mode, 1 + random.nextInt(2), random);
      check(database, plain, mode, 3 + random.nextInt(2), random);
    }
  }

  private record Way(ReadMode mode, ModeSettings settings) {}

  private static List<Way> modes(SplittableRandom random) {
    List<Way> modes = new ArrayList<>();
    for (String code : ReadMode.CODES) {
      for (Requests.Route route : Requests.Route.values()) {
        boolean mapped = route == Requests.Route.MAPPED;
        boolean byRequests = List.of("dio", "prov", "coal", "stag").contains(code);
        if (byRequests ? mapped && !code.equals("prov") : route != Requests.Route.DIRECT) {
          continue;
        }
        Requests requests = new Requests(4096 << random.nextInt(5), 1 + random.nextInt(6), route);
        long budget = random.nextBoolean() ? 0 : 300_000;
        modes.add(
            new Way(
                ReadMode.of(code),
                new ModeSettings(1 + random.nextInt(4), requests, budget, 1 + random.nextInt(3))));
      }
    }
    return modes;
  }

  private static void check(
      Path database, List<Long> plain, Way mode, int readers, SplittableRandom random)
      throws Exception {
    check(database, plain, mode, readers, 1 + random.nextInt(120), random);
  }

  private static void check(
      Path database, List<Long> plain, Way way, int readers, int batch, SplittableRandom random)
      throws Exception {
    for (BatchPlan.Access access : BatchPlan.Access.values()) {
      // More than once around, unless that takes too many iterations.
      long iterations = Math.min(40, plain.size() / batch + 1 + random.nextInt(3));
      ReadRequest request =
          new ReadRequest(
              database,
              way.mode,
              way.settings,
              batch,
              iterations,
              access,
              new Seed(random.nextLong()),
              false,
              random.nextInt(4) == 0 ? CachePolicy.MEMORY : CachePolicy.AUTO,
              Locate.AUTO);
      BatchPlan plan = request.plan(plain.size(), readers);
      List<List<Long>> seen = Watchdog.within(LIMIT, () -> read(request, readers));
      for (int reader = 0; reader < readers; reader++) {
        List<Long> expected = new ArrayList<>();
        for (Shares shares = new Shares(plan, reader); !shares.done(); shares.next()) {
          expected.add(plain.get((int) plan.ordinal(shares.place())));
        }
        assertEquals(
            expected, seen.get(reader), "reader %d of %d, %s".formatted(reader, readers, request));
      }
    }
  }

  private static List<Long> plain(Path database) {
    List<Long> hashes = new ArrayList<>();
    try (Environment environment = Environment.open(database);
        Snapshot snapshot = environment.snapshot()) {
      Cursor cursor = snapshot.main().cursor();
      while (cursor.next()) {
        RecordChecksum checksum = new RecordChecksum();
        checksum.add(cursor.key(), cursor.value());
        hashes.add(checksum.sum());
      }
    }
    return hashes;
  }

  /** What each reader sees; the readers are threads of this process. */
  private static List<List<Long>> read(ReadRequest request, int readers) throws Exception {
    List<Callable<List<Long>>> work = new ArrayList<>();
    for (Communicator communicator : Communicator.threads(readers)) {
      work.add(
          () -> {
            List<Long> hashes = new ArrayList<>();
            try (communicator) {
              ReadJob.read(
                  request,
                  communicator,
                  (keys, keyAt, keyLength, values, valueAt, valueLength) -> {
                    RecordChecksum checksum = new RecordChecksum();
                    checksum.add(keys, keyAt, keyLength, values, valueAt, valueLength);
                    hashes.add(checksum.sum());
                  });
            }
            return hashes;
          });
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(readers)) {
      List<List<Long>> all = new ArrayList<>();
      for (Future<List<Long>> done : threads.invokeAll(work)) {
        all.add(done.get());
      }
      return all;
    }
  }

  @Test
  void readersWithoutRecordsHoldNobodyUp() throws Exception {
    SplittableRandom random = TestSeed.of(ReadModesTest.class).random();
    Path database = folder.resolve("few");
    Layout.TINY.write(database, random);
    List<Long> plain = plain(database);
    for (Way mode : modes(random)) {
      check(database, plain, mode, 4, 1 + random.nextInt(3), random);
    }
  }

  @Test
  void keysMayLieAcrossTheBlocksThatAreRead() throws Exception {
    SplittableRandom random = TestSeed.of(ReadModesTest.class).random();
    Path database = folder.resolve("long-keys");
    WriterOptions options = WriterOptions.DEFAULT.withPageSize(16_384).withSync(false);
    // One leaf of several blocks. What is added last lies first in it, so that these keys ascend.
    try (EnvironmentWriter writer = EnvironmentWriter.open(database, options);
        WriteTransaction transaction = writer.begin()) {
      for (int i = 40; i > 0; i--) {
        byte[] value = new byte[9000];
        random.nextBytes(value);
        String key = "%05d".formatted(i) + "x".repeat(300);
        transaction.main().put(key.getBytes(US_ASCII), value);
      }
      transaction.commit();
    }
    List<Long> plain = plain(database);
    for (Way mode : modes(random)) {
      for (int batch = 2; batch <= 3; batch++) {
        check(database, plain, mode, 1, batch, random);
      }
    }
  }

  @Test
  void aGuessedPageIsNotMissedAfterTheSecondIteration() throws Exception {
    Path database = folder.resolve("guessed");
    WriterOptions options = WriterOptions.DEFAULT.withSync(false);
    // So many commits that some shares begin with a record on a page that was used before.
    try (BulkWriter writer = BulkWriter.open(database, options, 250)) {
      for (int i = 0; i < 12_000; i++) {
        writer.put("%05d".formatted(i).getBytes(US_ASCII), new byte[3083]);
      }
    }
    for (int roots = 1; roots <= 3; roots++) {
      ModeSettings settings = new ModeSettings(roots, ModeSettings.DEFAULT.requests(), 0, 1);
      ReadRequest request =
          new ReadRequest(
              database,
              ReadMode.DM,
              settings,
              192,
              ReadRequest.EPOCH,
              BatchPlan.Access.STRIDED,
              new Seed(1),
              false,
              CachePolicy.NONE,
              Locate.AUTO);
      List<ReaderReport> reports = Watchdog.within(LIMIT, () -> reports(request, 3));
      for (ReaderReport report : reports) {
        assertEquals(0, report.missedAfterSecond(), report.toString());
      }
      ReaderReport first = reports.getFirst();
      assertTrue(first.redundantPages() > 0, reports.toString());
      assertEquals(Math.ceilDiv(12_000, 192), first.missedByIteration().size());
      assertEquals(first.missedPages(), sum(first.missedByIteration()));
      assertEquals(first.redundantPages(), sum(first.redundantByIteration()));
      assertEquals(Optional.of(first), ReaderReport.ofLine(first.line()));
    }
  }

  private static long sum(List<Long> counts) {
    return counts.stream().mapToLong(Long::longValue).sum();
  }

  private static List<ReaderReport> reports(ReadRequest request, int readers) throws Exception {
    List<Callable<ReaderReport>> work = new ArrayList<>();
    for (Communicator communicator : Communicator.threads(readers)) {
      work.add(
          () -> {
            try (communicator) {
              return ReadJob.run(request, communicator);
            }
          });
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(readers)) {
      List<ReaderReport> all = new ArrayList<>();
      for (Future<ReaderReport> done : threads.invokeAll(work)) {
        all.add(done.get());
      }
      return all;
    }
  }

  /** One that exchanges pages, and the one that chooses. */
  @Test
  void processesGiveTheSameChecksum() throws Exception {
    checksums("dm", "auto");
  }

  @Tag("slow")
  @Test
  void processesGiveTheSameChecksumInEveryMode() throws Exception {
    checksums(ReadMode.CODES.toArray(String[]::new));
  }

  private void checksums(String... codes) throws Exception {
    Path database = folder.resolve("processes");
    Layout.COMMITTED.write(database, TestSeed.of(ReadModesTest.class).random());
    long expected = 0;
    for (long hash : plain(database)) {
      expected += hash;
    }
    Requests requests = new Requests(1 << 16, 2, Requests.Route.DIRECT);
    for (String code : codes) {
      ReadRequest request =
          new ReadRequest(
              database,
              ReadMode.of(code),
              new ModeSettings(2, requests, 0, 1),
              100,
              7,
              BatchPlan.Access.STRIDED,
              new Seed(1),
              true,
              CachePolicy.AUTO,
              Locate.AUTO);
      List<ReaderReport> reports =
          Watchdog.within(LIMIT, () -> ReadLaunch.run(request, 3, line -> {}));
      long sum = 0;
      long records = 0;
      for (ReaderReport report : reports) {
        sum += report.checksum();
        records += report.records();
        assertTrue(report.seconds() > 0, report.toString());
      }
      assertEquals(700, records, code);
      assertEquals(expected, sum, code);
    }
  }
}
