package dev.tandem.data.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.tandem.core.Seed;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.augment.AugmentationText;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The same seed gives the same samples to the last pixel, whatever ranks, threads and stops. */
class SameSamplesTest {

  private static final int SIDE = 12;
  private static final int CUT = 8;

  private final Seed seed = TestSeed.of(getClass());
  private final NumberRecords source = new NumberRecords(211, SIDE);

  private Steps steps(Shuffle shuffle, EpochEnd end) {
    return new Steps(new SampleOrder(seed, source.size(), shuffle), 24, end);
  }

  private Preparation preparation(Seed own) {
    return new Preparation(
        new DatumDecoder(1),
        AugmentationText.parse(
            "random-crop=10x10+2,flip,random-resized-crop=%1$dx%1$d".formatted(CUT)),
        Normalisation.all(0.4, 0.2),
        new ImageFormat(1, CUT, CUT, NumberRecords.CLASSES, 0, 1),
        own);
  }

  private Loader loader(Steps steps, Plan plan, int threads) {
    // A fetch of one step now and of several then.
    long memory = threads % 2 == 0 ? 1 : 64 << 20;
    LoaderOptions options =
        new LoaderOptions(threads, 1 + threads % 3, memory, BadRecords.FATAL)
            .withVirtual(threads % 2 == 0);
    return new Loader(source, steps, preparation(seed), plan, options);
  }

  /** A number for every sample of a batch, from all its bytes and its label. */
  private static List<Integer> fingerprints(Batch batch) {
    List<Integer> all = new ArrayList<>();
    long bytes = (long) CUT * CUT * Float.BYTES;
    for (int i = 0; i < batch.count(); i++) {
      MemorySegment image = batch.images().asSlice(i * bytes, bytes);
      int pixels = Arrays.hashCode(image.toArray(ValueLayout.JAVA_INT));
      all.add(31 * pixels + (int) batch.labels().getAtIndex(ValueLayout.JAVA_LONG, i));
    }
    return all;
  }

  /** All steps, every one as the ranks together get it. */
  private List<List<Integer>> run(Steps steps, Position from, long count, int ranks, int threads)
      throws Exception {
    return Watchdog.within(
        Duration.ofSeconds(60),
        () -> {
          List<List<Integer>> all = new ArrayList<>();
          for (int rank = 0; rank < ranks; rank++) {
            try (Loader loader = loader(steps, new Plan(rank, ranks, from, count), threads)) {
              for (int step = 0; step < count; step++) {
                if (rank == 0) {
                  all.add(new ArrayList<>());
                }
                all.get(step).addAll(fingerprints(loader.next()));
              }
            }
          }
          return all;
        });
  }

  @Test
  void orderAndPixelsAreTheSameForAnyRanksAndThreads() throws Exception {
    for (Shuffle shuffle : List.of(Shuffle.NONE, Shuffle.BY_INDEX, new Shuffle.ByWindow(50, 16))) {
      for (EpochEnd end : EpochEnd.values()) {
        Steps steps = steps(shuffle, end);
        List<List<Integer>> expected = run(steps, Position.START, 20, 1, 1);
        for (int ranks = 1; ranks <= 4; ranks++) {
          for (int threads = 1; threads <= 8; threads++) {
            assertEquals(
                expected,
                run(steps, Position.START, 20, ranks, threads),
                shuffle + ", " + end + ", " + ranks + " ranks, " + threads + " threads");
          }
        }
      }
    }
  }

  @Test
  void epochsAndSeedsAugmentDifferently() throws Exception {
    Steps steps = steps(Shuffle.NONE, EpochEnd.EXACT);
    List<List<Integer>> two = run(steps, Position.START, 2 * steps.stepsFor(1), 1, 2);
    assertNotEquals(two.get(0), two.get((int) steps.stepsFor(1)));
    try (Loader other =
        new Loader(
            source,
            steps,
            preparation(seed.derive("other")),
            Plan.alone(1),
            LoaderOptions.DEFAULT)) {
      assertNotEquals(two.get(0), fingerprints(other.next()));
    }
  }

  @Test
  void stoppedAnywhereItGoesOnTheSame() throws Exception {
    for (EpochEnd end : EpochEnd.values()) {
      Steps steps = steps(Shuffle.BY_INDEX, end);
      List<List<Integer>> expected = run(steps, Position.START, 22, 2, 2);
      for (int stop = 0; stop <= 22; stop++) {
        String saved;
        try (Loader loader = loader(steps, new Plan(0, 2, Position.START, 22), 2)) {
          for (int step = 0; step < stop; step++) {
            loader.next();
          }
          saved = steps.save(loader.position());
        }
        Position position = steps.restore(saved);
        assertEquals(expected.subList(stop, 22), run(steps, position, 22 - stop, 2, 3));
      }
    }
  }

  @Test
  void theNumberOfRanksMayChangeAtAnyStep() throws Exception {
    Steps steps = steps(new Shuffle.ByWindow(50, 16), EpochEnd.CIRCULAR);
    List<List<Integer>> expected = run(steps, Position.START, 30, 1, 1);
    SplittableRandom random = seed.random();
    for (int round = 0; round < 5; round++) {
      List<List<Integer>> all = new ArrayList<>();
      int most = 4;
      List<Loader> loaders = new ArrayList<>();
      for (int rank = 0; rank < most; rank++) {
        loaders.add(loader(steps, new Plan(rank, most, Position.START, 30), 1 + rank));
      }
      int ranks = most;
      for (int step = 0; step < 30; step++) {
        if (random.nextInt(3) == 0) {
          // Ranks that leave stay behind; those that come begin where the others are.
          int now = random.nextInt(1, most + 1);
          Position position = loaders.getFirst().position();
          for (int rank = 0; rank < now; rank++) {
            if (rank < ranks) {
              loaders.get(rank).reshard(rank, now);
            } else {
              loaders.get(rank).close();
              loaders.set(rank, loader(steps, new Plan(rank, now, position, 30 - step), 2));
            }
          }
          ranks = now;
        }
        List<Integer> joined = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
          joined.addAll(fingerprints(loaders.get(rank).next()));
        }
        all.add(joined);
      }
      loaders.forEach(Loader::close);
      assertEquals(expected, all);
    }
  }
}
