package dev.tandem.data.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.data.DataRecord;
import dev.tandem.data.HeldRecords;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a loader asks of its source. */
class LoaderReadsTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Notes what is fetched and how much of it is held at a time. */
  private static final class Watched implements RecordSource {

    private final NumberRecords records;
    private final List<long[]> fetches = new ArrayList<>();
    private long held;
    private long mostHeld;
    private int open;

    Watched(NumberRecords records) {
      this.records = records;
    }

    @Override
    public long size() {
      return records.size();
    }

    @Override
    public DataRecord record(long ordinal) {
      return records.record(ordinal);
    }

    @Override
    public RecordBlock fetch(long[] ordinals) {
      DataRecord[] found =
          LongStream.of(ordinals).mapToObj(this::record).toArray(DataRecord[]::new);
      long bytes = Arrays.stream(found).mapToLong(record -> record.value().byteSize()).sum();
      synchronized (this) {
        fetches.add(ordinals);
        open++;
        held += bytes;
        mostHeld = Math.max(mostHeld, held);
      }
      RecordBlock block = new HeldRecords(found);
      return new RecordBlock() {
        @Override
        public int size() {
          return block.size();
        }

        @Override
        public DataRecord record(int place) {
          return block.record(place);
        }

        @Override
        public void close() {
          synchronized (Watched.this) {
            open--;
            held -= bytes;
          }
        }
      };
    }

    @Override
    public void close() {}
  }

  private static Steps steps(long size, int batch, Shuffle shuffle) {
    return new Steps(new SampleOrder(new Seed(5), size, shuffle), batch, EpochEnd.EXACT);
  }

  private static List<Long> load(
      RecordSource source, NumberRecords records, Steps steps, Plan plan, LoaderOptions options)
      throws Exception {
    return Watchdog.within(
        LIMIT,
        () -> {
          List<Long> all = new ArrayList<>();
          try (Loader loader =
              new Loader(source, steps, Preparation.plain(records.format()), plan, options)) {
            while (loader.hasNext()) {
              all.addAll(NumberRecords.ordinals(loader.next()));
            }
          }
          return all;
        });
  }

  @Test
  void whatIsResumedReadsNothingBefore() throws Exception {
    NumberRecords records = new NumberRecords(500, 2);
    Watched source = new Watched(records);
    Steps steps = steps(500, 10, Shuffle.BY_INDEX);
    Plan plan = new Plan(1, 2, steps.position(30), 20);
    List<Long> loaded = load(source, records, steps, plan, LoaderOptions.DEFAULT);
    assertEquals(100, loaded.size());
    long[] read = source.fetches.stream().flatMapToLong(Arrays::stream).toArray();
    assertEquals(loaded, LongStream.of(read).boxed().toList());
  }

  @Test
  void memoryStaysWithinItsBounds() throws Exception {
    NumberRecords records = new NumberRecords(2_000, 32);
    long recordBytes = records.record(0).value().byteSize();
    for (int threads = 1; threads <= 4; threads++) {
      for (long budget : new long[] {1, 400_000, 4_000_000}) {
        Watched source = new Watched(records);
        LoaderOptions options =
            LoaderOptions.DEFAULT
                .withPrefetchBytes(budget)
                .withThreads(threads)
                .withFetchThreads(threads);
        List<Long> loaded =
            load(source, records, steps(2_000, 50, Shuffle.BY_INDEX), Plan.alone(40), options);
        assertEquals(2_000, loaded.size());
        assertEquals(0, source.open);
        // At least the records of a step.
        long most = Math.max(budget, 50 * recordBytes);
        assertTrue(source.mostHeld <= most, source.mostHeld + " bytes of " + most);
      }
    }
  }

  @Test
  void windowsAreFetchedWhole() throws Exception {
    NumberRecords records = new NumberRecords(1_000, 2);
    Watched source = new Watched(records);
    Steps steps = steps(1_000, 20, new Shuffle.ByWindow(100, 25));
    load(source, records, steps, Plan.alone(50), LoaderOptions.DEFAULT);
    assertEquals(10, source.fetches.size());
    for (long[] fetch : source.fetches) {
      // Four blocks of twenty-five neighbours.
      Set<Long> blocks = new TreeSet<>();
      Set<Long> ordinals = new TreeSet<>();
      for (long ordinal : fetch) {
        blocks.add(ordinal / 25);
        ordinals.add(ordinal);
      }
      assertEquals(4, blocks.size());
      assertEquals(100, ordinals.size());
    }
  }

  @Test
  void everySampleComesOncePerEpochOverAllRanks() throws Exception {
    Seed seed = TestSeed.of(getClass());
    for (int round = 0; round < 100; round++) {
      SplittableRandom random = seed.derive(round).random();
      int size = random.nextInt(1, 400);
      Shuffle shuffle =
          switch (random.nextInt(3)) {
            case 0 -> Shuffle.NONE;
            case 1 -> Shuffle.BY_INDEX;
            default ->
                new Shuffle.ByWindow(random.nextInt(1, 2 * size + 1), random.nextInt(1, size + 1));
          };
      Steps steps =
          new Steps(new SampleOrder(seed, size, shuffle), random.nextInt(1, 150), EpochEnd.EXACT);
      long epoch = random.nextInt(3);
      int ranks = random.nextInt(1, 6);
      LoaderOptions options =
          new LoaderOptions(
              random.nextInt(1, 9),
              random.nextInt(1, 4),
              random.nextLong(1, 1 << 20),
              BadRecords.FATAL);
      Position begin = steps.position(epoch * steps.stepsFor(1));
      List<Long> all = new ArrayList<>();
      NumberRecords records = new NumberRecords(size, 2);
      for (int rank = 0; rank < ranks; rank++) {
        Plan plan = new Plan(rank, ranks, begin, steps.stepsFor(1));
        all.addAll(load(records, records, steps, plan, options));
      }
      List<Long> expected = LongStream.range(0, size).boxed().toList();
      assertEquals(expected, all.stream().sorted().toList(), steps + ", " + ranks + " ranks");
    }
  }
}
