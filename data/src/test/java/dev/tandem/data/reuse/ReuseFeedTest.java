package dev.tandem.data.reuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.ClusterMap;
import dev.tandem.comm.topology.Level;
import dev.tandem.comm.topology.RankPlaces;
import dev.tandem.comm.transport.ThreadsTransport;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.Loader;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.NumberRecords;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.Preparation;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Ranks are threads here; to the transport they are on the hosts that a test names. */
class ReuseFeedTest {

  private static final ClusterMap MAP =
      ClusterMap.parse(
          List.of(
              "host-0 switch=s1 rack=r1", "host-1 switch=s1 rack=r1", "host-2 switch=s2 rack=r1"),
          "test");

  private static final List<Level> LEVELS = List.of(Level.values());

  private final Seed seed = TestSeed.of(getClass());

  private record Served(List<List<Long>> steps, ReuseReport report) {}

  /** What every rank does with its loader. */
  private interface Consumer {
    List<List<Long>> consume(int rank, Loader loader);
  }

  private static List<List<Long>> everything(Loader loader) {
    List<List<Long>> batches = new ArrayList<>();
    while (loader.hasNext()) {
      batches.add(NumberRecords.ordinals(loader.next()));
    }
    return batches;
  }

  private List<Served> run(
      int[] hosts, RecordSource source, Steps steps, ReusePlan plan, long from, long count)
      throws Exception {
    return run(hosts, source, steps, plan, from, count, (rank, loader) -> everything(loader));
  }

  private List<Served> run(
      int[] hosts,
      RecordSource source,
      Steps steps,
      ReusePlan plan,
      long from,
      long count,
      Consumer consumer)
      throws Exception {
    return Watchdog.within(
        Duration.ofSeconds(60),
        () -> {
          List<Callable<Served>> work = new ArrayList<>();
          for (var transport : ThreadsTransport.create(hosts, true)) {
            work.add(
                () -> {
                  try (Communicator communicator = Communicator.over(transport)) {
                    RankPlaces places = new RankPlaces(communicator.topology().names(), MAP);
                    ReuseOrder order = new ReuseOrder(steps, plan, places);
                    ReuseMeter meter = new ReuseMeter(places);
                    Plan own =
                        new Plan(
                            communicator.rank(), communicator.size(), order.position(from), count);
                    Preparation preparation = Preparation.plain(new NumberRecords(1, 2).format());
                    LoaderOptions options =
                        LoaderOptions.DEFAULT.withFetchThreads(1 + communicator.rank() % 2);
                    List<List<Long>> batches;
                    try (Loader loader =
                        new Loader(
                            p -> new ReuseFeed(source, order, p, communicator, meter),
                            preparation,
                            own,
                            options)) {
                      batches = consumer.consume(communicator.rank(), loader);
                    }
                    return new Served(batches, meter.report(source.size()));
                  }
                });
          }
          try (ExecutorService threads = Executors.newFixedThreadPool(hosts.length)) {
            List<Served> served = new ArrayList<>();
            for (Future<Served> future : threads.invokeAll(work)) {
              served.add(future.get());
            }
            return served;
          }
        });
  }

  private static Steps steps(Seed seed, long size, int batch, EpochEnd end) {
    return new Steps(new SampleOrder(seed, size, Shuffle.BY_INDEX), batch, end);
  }

  private static List<Long> sorted(List<Served> ranks, int from, int to) {
    return ranks.stream()
        .flatMap(rank -> rank.steps.subList(from, to).stream())
        .flatMap(List::stream)
        .sorted()
        .toList();
  }

  @Test
  void everyEpochServesEverySampleAsOftenAsPlanned() throws Exception {
    for (int round = 0; round < 12; round++) {
      SplittableRandom random = seed.derive(round).random();
      int ranks = random.nextInt(1, 5);
      int[] hosts = IntStream.range(0, ranks).map(rank -> random.nextInt(3)).toArray();
      int size = random.nextInt(1, 150);
      Steps steps = steps(seed, size, random.nextInt(1, 40), EpochEnd.EXACT);
      List<Level> passes = new ArrayList<>();
      for (int pass = random.nextInt(1, 4); pass > 0; pass--) {
        passes.add(LEVELS.get(random.nextInt(LEVELS.size())));
      }
      ReusePlan plan = new ReusePlan(random.nextInt(1, 6), passes);
      int served = (int) (steps.stepsFor(1) * plan.uses());
      List<Served> all = run(hosts, new NumberRecords(size, 2), steps, plan, 0, 2L * served);
      List<Long> expected =
          LongStream.range(0, size)
              .flatMap(ordinal -> LongStream.generate(() -> ordinal).limit(plan.uses()))
              .boxed()
              .toList();
      assertEquals(expected, sorted(all, 0, served), plan.toString());
      assertEquals(expected, sorted(all, served, 2 * served), plan.toString());
      long read = all.stream().mapToLong(rank -> rank.report.samplesRead()).sum();
      assertEquals(2L * size, read, "every sample is read once an epoch");
    }
  }

  @Test
  void whatIsMovedStaysWithinTheLevelAndIsCounted() throws Exception {
    int[] hosts = {0, 0, 1, 2};
    Steps steps = steps(seed, 640, 64, EpochEnd.EXACT);
    NumberRecords source = new NumberRecords(640, 2);
    Map<String, List<Level>> moved =
        Map.of(
            "5:process", List.of(),
            "5:node", List.of(Level.NODE),
            "5:switch", List.of(Level.NODE, Level.SWITCH),
            "5:rack", List.of(Level.NODE, Level.SWITCH, Level.RACK));
    for (var entry : moved.entrySet()) {
      ReusePlan plan = ReusePlan.parse(entry.getKey());
      List<Served> all = run(hosts, source, steps, plan, 0, 20);
      for (Level level : Level.values()) {
        long bytes =
            all.stream().mapToLong(rank -> rank.report.bytesMoved().getOrDefault(level, 0L)).sum();
        assertEquals(entry.getValue().contains(level), bytes > 0, plan + " at " + level);
      }
      for (Served rank : all) {
        ReuseReport report = rank.report;
        assertEquals(2, report.reuseFactor());
        assertEquals(160, report.samplesRead());
        assertEquals(320, report.samplesServed());
        assertTrue(report.shortestDistance() > 0 && report.longestDistance() < 640);
        long sum = report.bytesMoved().values().stream().mapToLong(Long::longValue).sum();
        assertTrue(report.bytesOnWire() >= sum, report.sentence());
        assertFalse(report.sentence().isBlank());
      }
    }
  }

  /** Under a level that spans all ranks a rank serves others' samples in the second pass. */
  @Test
  void batchesAreRecomposed() throws Exception {
    Steps steps = steps(seed, 96, 24, EpochEnd.EXACT);
    List<Served> all =
        run(new int[] {0, 0}, new NumberRecords(96, 2), steps, ReusePlan.parse("4:node"), 0, 8);
    List<Long> first = sorted(List.of(all.getFirst()), 0, 4);
    List<Long> second = sorted(List.of(all.getFirst()), 4, 8);
    assertNotEquals(first, second);
    assertEquals(sorted(all, 0, 4), sorted(all, 4, 8));
    List<Served> alone =
        run(new int[] {0, 0}, new NumberRecords(96, 2), steps, ReusePlan.parse("4:process"), 0, 8);
    assertEquals(sorted(List.of(alone.getFirst()), 0, 4), sorted(List.of(alone.getFirst()), 4, 8));
    assertNotEquals(alone.getFirst().steps.subList(0, 4), alone.getFirst().steps.subList(4, 8));
  }

  @Test
  void resumedAnywhereItGoesOnTheSame() throws Exception {
    int[] hosts = {0, 1, 0};
    for (EpochEnd end : EpochEnd.values()) {
      // With a batch that stays on exact epochs, with one that grows on circular ones.
      List<Level> passes = List.of(Level.PROCESS, Level.SWITCH, Level.NODE);
      ReusePlan plan = new ReusePlan(3, passes, end == EpochEnd.CIRCULAR);
      Steps steps = steps(seed, 70, 15, end);
      NumberRecords source = new NumberRecords(70, 2);
      List<Served> whole = run(hosts, source, steps, plan, 0, 30);
      for (int from = 0; from < 30; from += 1 + from % 3) {
        List<Served> rest = run(hosts, source, steps, plan, from, 30 - from);
        for (int rank = 0; rank < hosts.length; rank++) {
          assertEquals(
              whole.get(rank).steps.subList(from, 30), rest.get(rank).steps, "from " + from);
        }
      }
    }
  }

  @Test
  void ranksMayCloseInTheMiddle() throws Exception {
    Steps steps = steps(seed, 200, 20, EpochEnd.EXACT);
    for (int stop = 0; stop < 9; stop += 2) {
      int count = stop;
      List<Served> all =
          run(
              new int[] {0, 0, 1},
              new NumberRecords(200, 2),
              steps,
              ReusePlan.parse("3:machine,machine"),
              0,
              30,
              (rank, loader) -> {
                List<List<Long>> batches = new ArrayList<>();
                for (int step = 0; step < count; step++) {
                  batches.add(NumberRecords.ordinals(loader.next()));
                }
                return batches;
              });
      assertEquals(count, all.getFirst().steps.size());
    }
  }

  /** A source that only one rank cannot read. */
  private record Broken(NumberRecords good) implements RecordSource {

    @Override
    public long size() {
      return good.size();
    }

    @Override
    public DataRecord record(long ordinal) {
      if (Thread.currentThread().getName().startsWith("loader-1-") && ordinal > 20) {
        throw new WorkFailedException("the disk is gone");
      }
      return good.record(ordinal);
    }

    @Override
    public void close() {}
  }

  @Test
  void whenARankFailsNobodyHangs() throws Exception {
    Steps steps = steps(seed, 60, 10, EpochEnd.EXACT);
    List<String> failures = Collections.synchronizedList(new ArrayList<>());
    run(
        new int[] {0, 0, 0},
        new Broken(new NumberRecords(60, 2)),
        steps,
        ReusePlan.parse("6:node"),
        0,
        12,
        (rank, loader) -> {
          var e = assertThrows(WorkFailedException.class, () -> everything(loader));
          failures.add(e.getMessage());
          return List.of();
        });
    assertEquals(3, failures.size());
    assertTrue(failures.contains("the disk is gone"), failures.toString());
  }
}
