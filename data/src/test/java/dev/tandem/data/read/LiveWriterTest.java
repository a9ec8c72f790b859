package dev.tandem.data.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.read.mode.BatchPlan;
import dev.tandem.data.read.mode.CachePolicy;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ModeSettings;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.data.read.mode.ReadRequest;
import dev.tandem.data.read.mode.RecordVisitor;
import dev.tandem.data.read.request.Requests;
import dev.tandem.lmdb.page.SnapshotOverwrittenException;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Somebody writes while every mode reads. With a lock file all records are those of one commit;
 * without, they are, or reading ends with the line that says so. Never anything else.
 */
class LiveWriterTest {

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int ROUNDS = 4;

  static final List<String> MODES = ReadMode.CODES;

  @TempDir Path folder;

  private static ReadRequest request(Path database, String code, int epochs) {
    Requests requests = new Requests(1 << 16, 4, Requests.Route.DIRECT);
    return new ReadRequest(
        database,
        ReadMode.of(code),
        new ModeSettings(2, requests, 0, 1),
        50,
        (long) epochs * LiveWriter.RECORDS / 50,
        BatchPlan.Access.STRIDED,
        new Seed(1),
        false,
        CachePolicy.AUTO,
        Locate.AUTO);
  }

  /** Sums all records and notes from which commits they say they are. */
  private static final class Seen implements RecordVisitor {

    private final RecordChecksum checksum = new RecordChecksum();
    private final Set<Long> commits = new HashSet<>();

    @Override
    public void record(
        ByteBuffer keys, int keyAt, int keyLength, ByteBuffer values, int valueAt, int length) {
      checksum.add(keys, keyAt, keyLength, values, valueAt, length);
      commits.add(values.duplicate().getLong(valueAt));
    }
  }

  /** All readers together saw one commit, each record as often as there were epochs. */
  private static void assertOneCommit(List<Seen> readers, int epochs, String what) {
    Set<Long> commits = new HashSet<>();
    long sum = 0;
    for (Seen seen : readers) {
      commits.addAll(seen.commits);
      sum += seen.checksum.sum();
    }
    assertEquals(1, commits.size(), what + ": records of several commits");
    assertEquals(epochs * LiveWriter.checksum(commits.iterator().next()), sum, what);
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void withALockFileAllReadersSeeOneCommit(String code) throws Exception {
    try (LiveWriter _ = new LiveWriter(folder)) {
      for (int round = 0; round < ROUNDS; round++) {
        int readers = 1 + round % 3;
        ReadRequest request = request(folder, code, 10);
        List<Seen> seen = Watchdog.within(LIMIT, () -> read(request, readers));
        assertOneCommit(seen, 10, code + " with " + readers + " readers");
      }
    }
  }

  private static List<Seen> read(ReadRequest request, int readers) throws Exception {
    List<Callable<Seen>> work = new ArrayList<>();
    for (Communicator communicator : Communicator.threads(readers)) {
      work.add(
          () -> {
            Seen seen = new Seen();
            try (communicator) {
              ReadJob.read(request, communicator, seen);
            }
            return seen;
          });
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(readers)) {
      List<Seen> all = new ArrayList<>();
      for (Future<Seen> done : threads.invokeAll(work)) {
        all.add(done.get());
      }
      return all;
    }
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void withoutALockFileItIsOneCommitOrAFailure(String code) throws Exception {
    int[] outcomes = new int[2];
    try (LiveWriter _ = new LiveWriter(folder.resolve("written"))) {
      Path database = LiveWriter.withoutLock(folder.resolve("written"), folder.resolve("read"));
      for (int round = 0; round < 5 * ROUNDS; round++) {
        // Short ones mostly end before the state is overwritten, long ones never.
        int epochs = round % 2 == 0 ? 1 : 5_000;
        try {
          List<Seen> seen = Watchdog.within(LIMIT, () -> read(request(database, code, epochs), 1));
          assertOneCommit(seen, epochs, code);
          outcomes[0]++;
        } catch (ExecutionException e) {
          assertTrue(e.getCause() instanceof SnapshotOverwrittenException, String.valueOf(e));
          outcomes[1]++;
        }
      }
    }
    System.out.println(
        "%s without a lock file: %d whole, %d overwritten"
            .formatted(code, outcomes[0], outcomes[1]));
    assertTrue(outcomes[1] > 0, "nothing was overwritten: the test shows nothing");
  }

  @ParameterizedTest
  @FieldSource("MODES")
  @Tag("slow") // Starts three processes many times.
  void processesWithoutALockFileReadOneCommitOrFail(String code) throws Exception {
    Set<Long> possible = new HashSet<>();
    try (LiveWriter writer = new LiveWriter(folder.resolve("written"))) {
      Path database = LiveWriter.withoutLock(folder.resolve("written"), folder.resolve("read"));
      for (int round = 0; round < ROUNDS; round++) {
        ReadRequest request = request(database, code, round % 2 == 0 ? 1 : 3);
        List<String> lines = new ArrayList<>();
        try {
          List<ReaderReport> reports =
              Watchdog.within(LIMIT, () -> ReadLaunch.run(request, 3, lines::add));
          long sum = reports.stream().mapToLong(ReaderReport::checksum).sum();
          possible.clear();
          int epochs = round % 2 == 0 ? 1 : 3;
          LongStream.rangeClosed(1, writer.commits())
              .forEach(commit -> possible.add(epochs * LiveWriter.checksum(commit)));
          assertTrue(possible.contains(sum), code + ": records of no commit");
        } catch (WorkFailedException e) {
          assertTrue(
              lines.stream()
                  .anyMatch(
                      line ->
                          line.contains("was overwritten by a writer")
                              || line.contains("changes faster than its")),
              e + " " + lines);
        }
      }
    }
  }

  @Test
  void sourcesLendRecordsOfOneCommitOrFail() throws Exception {
    int[] outcomes = new int[2];
    try (LiveWriter _ = new LiveWriter(folder.resolve("written"))) {
      Path database = LiveWriter.withoutLock(folder.resolve("written"), folder.resolve("read"));
      Watchdog.within(
          LIMIT,
          () -> {
            for (int round = 0; round < 40; round++) {
              Path path = round % 4 == 0 ? folder.resolve("written") : database;
              try (IndexedLmdbSource source = IndexedLmdbSource.open(path)) {
                for (int again = 0; again < 5; again++) {
                  assertOneCommit(List.of(fetched(source)), 1, path.toString());
                }
                outcomes[0]++;
              } catch (SnapshotOverwrittenException e) {
                assertEquals(database, path, "overwritten despite its slot");
                outcomes[1]++;
              }
            }
            return null;
          });
    }
    System.out.println("sources: %d whole, %d overwritten".formatted(outcomes[0], outcomes[1]));
    assertTrue(outcomes[0] >= 10);
  }

  private static Seen fetched(IndexedLmdbSource source) {
    Seen seen = new Seen();
    long[] all = LongStream.range(0, source.size()).toArray();
    try (RecordBlock block = source.fetch(all)) {
      for (int i = 0; i < block.size(); i++) {
        DataRecord record = block.record(i);
        ByteBuffer key = ByteBuffer.wrap(record.key().toArray(ValueLayout.JAVA_BYTE));
        ByteBuffer value = ByteBuffer.wrap(record.value().toArray(ValueLayout.JAVA_BYTE));
        seen.record(key, 0, key.capacity(), value, 0, value.capacity());
      }
      block.ensureIntact();
    }
    return seen;
  }
}
