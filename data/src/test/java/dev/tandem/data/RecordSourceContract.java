package dev.tandem.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.data.importing.Importer;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every {@link RecordSource} promises. A source's own test extends this. */
public abstract class RecordSourceContract {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir protected Path folder;

  /** Makes a source of at least 20 records in {@link #folder}. */
  protected abstract RecordSource open() throws Exception;

  /** What it must hold, in order. */
  protected abstract List<DataRecord> expected() throws Exception;

  /** What an importer makes of the same data, for sources that must agree with it. */
  protected static List<DataRecord> imported(Importer importer) {
    List<DataRecord> records = new ArrayList<>();
    importer.importTo(
        (key, value) ->
            records.add(
                new DataRecord(
                    MemorySegment.ofArray(bytes(key)), MemorySegment.ofArray(bytes(value)))));
    return records;
  }

  private static byte[] bytes(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_BYTE);
  }

  private static void assertIs(DataRecord expected, DataRecord record) {
    assertArrayEquals(bytes(expected.key()), bytes(record.key()));
    assertArrayEquals(bytes(expected.value()), bytes(record.value()));
  }

  @Test
  void holdsItsRecordsInOrder() throws Exception {
    try (RecordSource source = open()) {
      List<DataRecord> expected = expected();
      assertTrue(expected.size() >= 20, "the contract needs more records");
      assertEquals(expected.size(), source.size());
      for (int ordinal = 0; ordinal < expected.size(); ordinal++) {
        assertIs(expected.get(ordinal), source.record(ordinal));
      }
    }
  }

  @Test
  void fetchesAnyOrdinalsInTheGivenOrder() throws Exception {
    SplittableRandom random = TestSeed.of(getClass()).random();
    try (RecordSource source = open()) {
      List<DataRecord> expected = expected();
      for (int round = 0; round < 30; round++) {
        // Repetitions are likely.
        long[] ordinals = random.longs(random.nextInt(0, 60), 0, source.size()).toArray();
        try (RecordBlock block = source.fetch(ordinals)) {
          assertEquals(ordinals.length, block.size());
          for (int place = 0; place < ordinals.length; place++) {
            assertIs(expected.get((int) ordinals[place]), block.record(place));
          }
        }
      }
    }
  }

  @Test
  void severalBlocksAreOpenAtOnce() throws Exception {
    try (RecordSource source = open()) {
      List<DataRecord> expected = expected();
      List<RecordBlock> blocks = new ArrayList<>();
      for (long first = 0; first < 15; first++) {
        blocks.add(source.fetch(new long[] {first + 2, first, first + 1}));
      }
      blocks.get(3).close();
      for (int first = 0; first < 15; first++) {
        if (first != 3) {
          assertIs(expected.get(first + 2), blocks.get(first).record(0));
          assertIs(expected.get(first), blocks.get(first).record(1));
          blocks.get(first).close();
        }
      }
    }
  }

  @Test
  void severalThreadsReadAtOnce() throws Exception {
    try (RecordSource source = open();
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<DataRecord> expected = expected();
      List<Callable<Void>> work = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        SplittableRandom random = new SplittableRandom(thread);
        work.add(
            () -> {
              for (int round = 0; round < 50; round++) {
                long[] ordinals = random.longs(10, 0, source.size()).toArray();
                try (RecordBlock block = source.fetch(ordinals)) {
                  for (int place = 0; place < ordinals.length; place++) {
                    assertIs(expected.get((int) ordinals[place]), block.record(place));
                    assertIs(expected.get((int) ordinals[place]), source.record(ordinals[place]));
                  }
                }
              }
              return null;
            });
      }
      Watchdog.within(
          LIMIT,
          () -> {
            for (Future<Void> future : threads.invokeAll(work)) {
              future.get();
            }
            return null;
          });
    }
  }

  @Test
  void refusesOrdinalsThatItDoesNotHave() throws Exception {
    try (RecordSource source = open()) {
      assertThrows(IndexOutOfBoundsException.class, () -> source.record(-1));
      assertThrows(IndexOutOfBoundsException.class, () -> source.record(source.size()));
    }
  }
}
