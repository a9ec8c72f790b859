package dev.tandem.data.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordSource;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LoaderTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static Steps steps(long size, int batch) {
    return new Steps(new SampleOrder(new Seed(5), size, Shuffle.BY_INDEX), batch, EpochEnd.EXACT);
  }

  private static Loader loader(NumberRecords source, int batch, Plan plan, LoaderOptions options) {
    Preparation preparation = Preparation.plain(source.format());
    return new Loader(source, steps(source.size(), batch), preparation, plan, options);
  }

  private static List<List<Long>> load(int rank, int ranks, long from, long count)
      throws Exception {
    return Watchdog.within(
        LIMIT,
        () -> {
          Plan plan = new Plan(rank, ranks, steps(1_003, 64).position(from), count);
          List<List<Long>> batches = new ArrayList<>();
          try (NumberRecords source = new NumberRecords(1_003, 2);
              Loader loader = loader(source, 64, plan, LoaderOptions.DEFAULT)) {
            while (loader.hasNext()) {
              batches.add(NumberRecords.ordinals(loader.next()));
            }
            assertThrows(NoSuchElementException.class, loader::next);
            assertEquals(steps(1_003, 64).position(from + count), loader.position());
          }
          return batches;
        });
  }

  @Test
  void ranksTogetherGiveTheGlobalOrder() throws Exception {
    List<List<Long>> alone = load(0, 1, 0, 40);
    List<List<Long>> first = load(0, 3, 0, 40);
    List<List<Long>> second = load(1, 3, 0, 40);
    List<List<Long>> third = load(2, 3, 0, 40);
    for (int step = 0; step < 40; step++) {
      List<Long> joined = new ArrayList<>(first.get(step));
      joined.addAll(second.get(step));
      joined.addAll(third.get(step));
      assertEquals(alone.get(step), joined);
    }
  }

  @Test
  void resumingAtAStepContinuesTheSame() throws Exception {
    assertEquals(load(1, 2, 0, 40).subList(23, 40), load(1, 2, 23, 17));
  }

  @Test
  void moreRanksThanSamplesGiveEmptyBatches() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          Plan plan = new Plan(0, 5, Position.START, 2);
          try (NumberRecords source = new NumberRecords(3, 2);
              Loader loader = loader(source, 8, plan, LoaderOptions.DEFAULT)) {
            Batch batch = loader.next();
            assertEquals(0, batch.count());
            assertEquals(3, batch.globalCount());
            assertEquals(0, batch.weight());
            assertEquals(0, loader.next().count());
          }
          return null;
        });
  }

  @Test
  void aBadRecordIsFatalAndNamedAfterTheBatchesBeforeIt() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          Steps steps = steps(10, 2);
          long at = 0;
          while (steps.order().epoch(0).ordinal(at) != 7) {
            at++;
          }
          try (NumberRecords source = new NumberRecords(10, 2, Set.of(7L));
              Loader loader = loader(source, 2, Plan.alone(5), LoaderOptions.DEFAULT)) {
            for (long step = 0; step < at / 2; step++) {
              assertEquals(2, loader.next().count());
            }
            var e = assertThrows(WorkFailedException.class, loader::next);
            assertTrue(e.getMessage().startsWith("record '00000007': "), e.getMessage());
            assertSame(e, assertThrows(WorkFailedException.class, loader::next));
          }
          return null;
        });
  }

  @Test
  void skippedRecordsAreCountedAndNothingMoves() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          Set<Long> bad = Set.of(3L, 57L, 58L, 99L);
          LoaderOptions options =
              LoaderOptions.DEFAULT.withThreads(4).withBadRecords(BadRecords.SKIP);
          try (NumberRecords source = new NumberRecords(100, 2, bad);
              Loader loader = loader(source, 16, Plan.alone(7), options);
              Loader good =
                  loader(new NumberRecords(100, 2), 16, Plan.alone(7), LoaderOptions.DEFAULT)) {
            int skipped = 0;
            while (loader.hasNext()) {
              Batch batch = loader.next();
              List<Long> expected = NumberRecords.ordinals(good.next());
              expected.removeAll(bad);
              assertEquals(expected, NumberRecords.ordinals(batch));
              skipped += batch.skipped();
              assertEquals((double) expected.size() / batch.globalCount(), batch.weight());
            }
            assertEquals(4, skipped);
            assertEquals(4, loader.skipped());
            Set<Long> named = new TreeSet<>();
            loader.badRecords().forEach(record -> named.add(record.ordinal()));
            assertEquals(new TreeSet<>(bad), named);
          }
          return null;
        });
  }

  @Test
  void tooManyBadRecordsAreFatal() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          LoaderOptions options = LoaderOptions.DEFAULT.withBadRecords(new BadRecords.Skip(2));
          try (NumberRecords source = new NumberRecords(50, 2, Set.of(1L, 2L, 3L));
              Loader loader = loader(source, 50, Plan.alone(1), options)) {
            var e = assertThrows(WorkFailedException.class, loader::next);
            assertTrue(
                e.getMessage().startsWith("3 bad records, where 2 may be skipped; the last is "),
                e.getMessage());
          }
          return null;
        });
  }

  /** Fails from some read on. */
  private record Broken(long size, long good) implements RecordSource {

    @Override
    public DataRecord record(long ordinal) {
      if (ordinal >= good) {
        throw new WorkFailedException("the disk is gone");
      }
      return new NumberRecords(size, 2).record(ordinal);
    }

    @Override
    public void close() {}
  }

  @Test
  void aFailureOfTheStorageComesOutWhereItBelongs() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          Steps steps =
              new Steps(new SampleOrder(new Seed(5), 10_000, Shuffle.NONE), 100, EpochEnd.EXACT);
          // So little memory that every step is read by itself.
          LoaderOptions options = LoaderOptions.DEFAULT.withPrefetchBytes(1).withFetchThreads(3);
          Preparation preparation = Preparation.plain(new NumberRecords(1, 2).format());
          try (Broken source = new Broken(10_000, 1_250);
              Loader loader = new Loader(source, steps, preparation, Plan.alone(100), options)) {
            for (int step = 0; step < 12; step++) {
              assertEquals(100, loader.next().count());
            }
            var e = assertThrows(WorkFailedException.class, loader::next);
            assertEquals("the disk is gone", e.getMessage());
            assertThrows(WorkFailedException.class, loader::next);
          }
          return null;
        });
  }

  @Test
  void aDecoderThatBreaksNamesTheRecord() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          NumberRecords source = new NumberRecords(10, 2);
          Preparation plain = Preparation.plain(source.format());
          Preparation preparation =
              new Preparation(
                  record -> {
                    throw new IndexOutOfBoundsException("byte 5 of 4");
                  },
                  plain.augmentation(),
                  plain.normalisation(),
                  plain.format(),
                  plain.seed());
          try (Loader loader =
              new Loader(
                  source, steps(10, 1), preparation, Plan.alone(10), LoaderOptions.DEFAULT)) {
            var e = assertThrows(WorkFailedException.class, loader::next);
            assertTrue(e.getMessage().contains("byte 5 of 4"), e.getMessage());
            assertTrue(e.getMessage().startsWith("record '"), e.getMessage());
          }
          return null;
        });
  }

  @Test
  void closingEarlyEndsAllThreads() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          LoaderOptions options = LoaderOptions.DEFAULT.withThreads(5).withFetchThreads(2);
          try (NumberRecords source = new NumberRecords(1_003, 2);
              Loader loader =
                  loader(source, 64, new Plan(77, 78, Position.START, 1_000), options)) {
            loader.next();
          }
          assertFalse(
              Thread.getAllStackTraces().keySet().stream()
                  .anyMatch(thread -> thread.getName().startsWith("loader-77-")));
          return null;
        });
  }
}
