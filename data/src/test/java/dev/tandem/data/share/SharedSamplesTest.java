package dev.tandem.data.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.NumberRecords;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every consumer has every sample once, which was made once for all. */
class SharedSamplesTest {

  private static final int SIZE = 1000;
  private static final int VALUES = 16;

  private final SplittableRandom random = TestSeed.of(SharedSamplesTest.class).random();
  private final SampleOrder order =
      new SampleOrder(new Seed(random.nextLong()), SIZE, Shuffle.BY_INDEX);
  private final NumberRecords records = new NumberRecords(SIZE, 4);
  private final NumberPreparation preparation = new NumberPreparation(VALUES);

  @TempDir Path folder;

  private SharedSamples join(ShareOptions options) {
    return SharedSamples.join(
        folder.resolve("share"), "numbers", records, order, preparation, options);
  }

  /** Memory for so many samples. */
  private static long bytes(int samples) {
    return ShareArea.BOOKKEEPING + samples * (VALUES * Float.BYTES + Long.BYTES + 8L);
  }

  private Steps steps(int batch) {
    return new Steps(order, batch, EpochEnd.EXACT);
  }

  /** The records that a consumer was given, in order. */
  private List<Long> consume(SharedSamples share, String name, int batch, int epochs, long nanos) {
    Steps steps = steps(batch);
    return consume(
        share, name, steps, new Plan(0, 1, Position.START, steps.stepsFor(epochs)), nanos);
  }

  private List<Long> consume(SharedSamples share, String name, Steps steps, Plan plan, long nanos) {
    List<Long> had = new ArrayList<>();
    try (SharedLoader loader =
        share.loader(name, steps, plan, LoaderOptions.DEFAULT, Optional.empty())) {
      while (loader.hasNext()) {
        Batch given = loader.next();
        for (int i = 0; i < given.count(); i++) {
          had.add(given.labels().getAtIndex(ValueLayout.JAVA_LONG, i));
          float first = given.images().getAtIndex(ValueLayout.JAVA_FLOAT, (long) i * VALUES);
          for (int value = 0; value < VALUES; value++) {
            assertEquals(
                first + value,
                given.images().getAtIndex(ValueLayout.JAVA_FLOAT, (long) i * VALUES + value));
          }
        }
        if (nanos > 0) {
          long until = System.nanoTime() + nanos * given.count();
          while (System.nanoTime() < until) {
            LockSupport.parkNanos(until - System.nanoTime());
          }
        }
      }
    }
    return had;
  }

  private static List<Future<List<Long>>> all(
      ExecutorService threads, List<Callable<List<Long>>> work) throws Exception {
    return Watchdog.within(Duration.ofSeconds(60), () -> threads.invokeAll(work));
  }

  private static void requireEachOncePerPass(List<Long> had, int epochs) {
    assertEquals((long) epochs * SIZE, had.size());
    for (int epoch = 0; epoch < epochs; epoch++) {
      List<Long> pass = had.subList(epoch * SIZE, (epoch + 1) * SIZE);
      assertEquals(SIZE, Set.copyOf(pass).size(), "pass " + epoch);
    }
  }

  private void together(ShareOptions options, int members, int epochs) throws Exception {
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
      List<Callable<List<Long>>> work = new ArrayList<>();
      for (int member = 0; member < members; member++) {
        String name = "member-" + member;
        int batch = 7 + 13 * member;
        work.add(
            () -> {
              try (SharedSamples share = join(options)) {
                return consume(share, name, batch, epochs, 0);
              }
            });
      }
      for (Future<List<Long>> each : all(threads, work)) {
        List<Long> had = each.get();
        requireEachOncePerPass(had, epochs);
        for (int sample = 0; sample < had.size(); sample++) {
          long expected = order.epoch(sample / SIZE).ordinal(sample % SIZE);
          assertEquals(expected, had.get(sample));
        }
      }
    }
    assertFalse(Files.exists(folder.resolve("share")), "the last removes it");
  }

  @Test
  void givesAllMembersTheSameSequenceInBatchesOfTheirOwn() throws Exception {
    together(ShareOptions.DEFAULT.withConsumers(4).withTogether(true).withBytes(bytes(200)), 4, 3);
    assertEquals(3 * SIZE, preparation.made().doubleValue(), 200, "made once for all");
  }

  @Test
  void letsOnePreprocessorServeAll() throws Exception {
    ShareOptions none = ShareOptions.DEFAULT.withThreads(0).withTogether(true).withConsumers(3);
    try (SharedSamples _ = join(none.withThreads(1))) {
      try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
        List<Callable<List<Long>>> work = new ArrayList<>();
        for (int member = 0; member < 3; member++) {
          String name = "member-" + member;
          work.add(
              () -> {
                try (SharedSamples share = join(none)) {
                  return consume(share, name, 32, 2, 0);
                }
              });
        }
        for (Future<List<Long>> each : all(threads, work)) {
          requireEachOncePerPass(each.get(), 2);
        }
      }
    }
    assertEquals(2 * SIZE, preparation.made().doubleValue(), 100);
  }

  @Test
  void waitsOnceForAPartThatNobodyPreparesAndThenPreparesItAlone() throws Exception {
    ShareOptions options = ShareOptions.DEFAULT.withBytes(bytes(200));
    try (SharedSamples maker = join(options.withPart(0, 2));
        SharedSamples share = join(options.withThreads(0));
        ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
      List<Callable<List<Long>>> work = List.of(() -> consume(share, "a", 32, 2, 0));
      requireEachOncePerPass(all(threads, work).getFirst().get(), 2);
      assertEquals(SIZE, (double) maker.status().prepared(), SIZE / 4.0);
      assertEquals(SIZE, (double) maker.status().consumers().getFirst().alone(), SIZE / 4.0);
    }
  }

  @Test
  void givesMembersOfDifferentSpeedEachSampleOncePerPass() throws Exception {
    // A window of a tenth of a round: the slow cannot stay in it.
    ShareOptions options =
        ShareOptions.DEFAULT.withConsumers(3).withBytes(bytes(SIZE / 10)).withPatience(0.3);
    int[] speeds = {5, 2, 1};
    List<ShareStatus.Taker> takers;
    try (SharedSamples watch = join(options.withThreads(0));
        ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
      List<Callable<List<Long>>> work = new ArrayList<>();
      for (int speed : speeds) {
        work.add(
            () -> {
              try (SharedSamples share = join(options)) {
                return consume(share, "speed-" + speed, 10, speed == 5 ? 5 : 2, 300_000 / speed);
              }
            });
      }
      List<Future<List<Long>>> each = all(threads, work);
      for (int i = 0; i < speeds.length; i++) {
        requireEachOncePerPass(each.get(i).get(), speeds[i] == 5 ? 5 : 2);
      }
      takers = watch.status().consumers();
    }
    assertEquals(3, takers.size());
    for (ShareStatus.Taker taker : takers) {
      assertTrue(taker.exact(SIZE), taker.toString());
    }
  }

  @Test
  void goesOnWhereItWasAlsoWhenTheOthersAreFarAhead() {
    Steps steps = steps(16);
    try (SharedSamples share = join(ShareOptions.DEFAULT.withBytes(bytes(100)))) {
      Optional<String> saved;
      Position position;
      List<Long> had = new ArrayList<>();
      try (SharedLoader loader =
          share.loader(
              "a",
              steps,
              new Plan(0, 1, Position.START, 20),
              LoaderOptions.DEFAULT,
              Optional.empty())) {
        while (loader.hasNext()) {
          collect(loader.next(), had);
        }
        position = loader.position();
        saved = loader.saved(position);
      }
      assertEquals(3 * SIZE, consume(share, "b", 50, 3, 0).size());
      long left = steps.stepsFor(2) - 20;
      try (SharedLoader loader =
          share.loader("a", steps, new Plan(0, 1, position, left), LoaderOptions.DEFAULT, saved)) {
        while (loader.hasNext()) {
          collect(loader.next(), had);
        }
      }
      requireEachOncePerPass(had, 2);
      assertTrue(share.status().consumers().stream().allMatch(taker -> taker.exact(SIZE)));
    }
  }

  private static void collect(Batch batch, List<Long> had) {
    for (int i = 0; i < batch.count(); i++) {
      had.add(batch.labels().getAtIndex(ValueLayout.JAVA_LONG, i));
    }
  }

  @Test
  void membersOfSeveralRanksGoOnBesideASlowerOne() throws Exception {
    ShareOptions options =
        ShareOptions.DEFAULT.withConsumers(3).withBytes(bytes(SIZE / 10)).withPatience(0.3);
    int epochs = 3;
    try (SharedSamples watch = join(options.withThreads(0));
        ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
      List<Callable<List<Long>>> work = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        Plan plan = new Plan(rank, 2, Position.START, steps(20).stepsFor(epochs));
        String name = "wide/" + rank;
        work.add(
            () -> {
              try (SharedSamples share = join(options)) {
                return consume(share, name, steps(20), plan, 100_000);
              }
            });
      }
      work.add(
          () -> {
            try (SharedSamples share = join(options)) {
              return consume(share, "slow", 10, 1, 1_000_000);
            }
          });
      List<Future<List<Long>>> each = all(threads, work);
      List<Long> first = each.get(0).get();
      List<Long> second = each.get(1).get();
      assertEquals(epochs * SIZE, first.size() + second.size());
      int halves = SIZE / 2;
      for (int epoch = 0; epoch < epochs; epoch++) {
        Set<Long> had = new HashSet<>(first.subList(epoch * halves, (epoch + 1) * halves));
        had.addAll(second.subList(epoch * halves, (epoch + 1) * halves));
        assertEquals(SIZE, had.size(), "pass " + epoch);
      }
      requireEachOncePerPass(each.get(2).get(), 1);
      long sum = 0;
      for (ShareStatus.Taker taker : watch.status().consumers()) {
        sum += taker.name().startsWith("wide") ? taker.checksum() : 0;
      }
      assertEquals(ShareStatus.checksum(SIZE), sum, "the ranks of a member together");
    }
  }

  @Test
  void thoseThatStayTakeOverTheThreadsOfThoseThatLeave() throws Exception {
    try (SharedSamples first = join(ShareOptions.DEFAULT.withThreads(1))) {
      try (SharedSamples _ = join(ShareOptions.DEFAULT.withThreads(2))) {
        assertEquals(3, first.status().threads());
      }
      awaitThreads(first, 3);
      assertEquals(2 * SIZE, consume(first, "a", 32, 2, 0).size());
      try (SharedSamples _ = join(ShareOptions.DEFAULT.withThreads(1))) {
        awaitThreads(first, 3); // and gives one back
      }
    }
  }

  private static void awaitThreads(SharedSamples share, int count) throws Exception {
    var _ =
        Watchdog.within(
            Duration.ofSeconds(20),
            () -> {
              while (share.status().threads() != count) {
                LockSupport.parkNanos(1_000_000);
              }
              return count;
            });
  }

  @Test
  void memoryIsWithinTheBoundWithAllBookkeeping() throws IOException {
    for (long bytes : new long[] {bytes(10), 1 << 20, (1 << 20) + 12_345}) {
      try (SharedSamples _ = join(ShareOptions.DEFAULT.withBytes(bytes))) {
        long size = Files.size(folder.resolve("share"));
        assertTrue(size <= bytes, size + " of " + bytes);
        assertTrue(size > bytes - 16_384, size + " of " + bytes);
      }
    }
    UsageException small =
        assertThrows(UsageException.class, () -> join(ShareOptions.DEFAULT.withBytes(10_000)));
    assertTrue(small.getMessage().contains("set data.share.megabytes"), small.getMessage());
  }

  @Test
  void refusesToShareOtherSamples() {
    try (SharedSamples _ = join(ShareOptions.DEFAULT)) {
      UsageException refused =
          assertThrows(
              UsageException.class,
              () ->
                  SharedSamples.join(
                      folder.resolve("share"),
                      "letters",
                      records,
                      order,
                      preparation,
                      ShareOptions.DEFAULT));
      assertTrue(refused.getMessage().contains("shared for other data"), refused.getMessage());
    }
  }

  @Test
  void saysWhichRecordIsBad() {
    NumberRecords broken = new NumberRecords(SIZE, 4, Set.of(17L));
    try (SharedSamples share =
        SharedSamples.join(
            folder.resolve("share"), "bad", broken, order, preparation, ShareOptions.DEFAULT)) {
      WorkFailedException failed =
          assertThrows(WorkFailedException.class, () -> consume(share, "a", 10, 1, 0));
      assertTrue(failed.getMessage().contains("00000017"), failed.getMessage());
    }
  }
}
