package dev.tandem.data.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.TestSeed;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ShuffleTest {

  @Test
  void aPermutationIsItsInversesInverse() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    for (int size = 1; size < 200; size++) {
      Permutation permutation = new Permutation(new Seed(random.nextLong()), size);
      for (int place = 0; place < size; place++) {
        assertEquals(place, permutation.placeOf(permutation.at(place)));
      }
    }
  }

  @Test
  void thePermutationLooksRandom() {
    int size = 10_000;
    Permutation permutation = new Permutation(new Seed(3), size);
    int ascents = 0;
    int fixed = 0;
    for (int place = 1; place < size; place++) {
      ascents += permutation.at(place) > permutation.at(place - 1) ? 1 : 0;
      fixed += permutation.at(place) == place ? 1 : 0;
    }
    // A random permutation has size/2 ascents (deviation 29) and one fixed point on average.
    assertTrue(Math.abs(ascents - size / 2) < 150, "ascents " + ascents);
    assertTrue(fixed < 10, "fixed points " + fixed);
  }

  /** The statement of {@link Shuffle.ByWindow}. */
  @Test
  void windowsMoveSamplesAsFarAsStatedAndNoFarther() {
    Seed seed = TestSeed.of(getClass());
    for (int round = 0; round < 100; round++) {
      SplittableRandom random = seed.derive(round).random();
      int size = random.nextInt(1, 1_000);
      int window = random.nextInt(1, 200);
      int block = random.nextInt(1, 100);
      EpochOrder order =
          new SampleOrder(seed, size, new Shuffle.ByWindow(window, block)).epoch(round);
      long[] places = new long[size];
      for (int place = 0; place < size; place++) {
        places[(int) order.ordinal(place)] = place;
      }
      for (int ordinal = 1; ordinal < size; ordinal++) {
        if (ordinal % block != 0) {
          long apart = Math.abs(places[ordinal] - places[ordinal - 1]);
          assertTrue(apart < 2L * window, "neighbours " + apart + " apart");
        }
      }
      EpochOrder oneBlock =
          new SampleOrder(seed, size, new Shuffle.ByWindow(window, size)).epoch(round);
      for (int place = 0; place < size; place++) {
        assertTrue(Math.abs(oneBlock.ordinal(place) - place) < window);
      }
    }
  }

  /** What makes reads sequential: a window needs few blocks, whole. */
  @Test
  void aWindowTouchesFewBlocks() {
    int window = 128;
    int block = 32;
    EpochOrder order =
        new SampleOrder(new Seed(3), 10_000, new Shuffle.ByWindow(window, block)).epoch(1);
    for (int first = 0; first + window <= 10_000; first += window) {
      long blocks =
          LongStream.range(first, first + window)
              .map(place -> order.ordinal(place) / block)
              .distinct()
              .count();
      assertTrue(blocks <= window / block + 2, "blocks " + blocks);
    }
  }

  @Test
  void shufflesAreReadAsTheyPrintThemselves() {
    for (String text : new String[] {"none", "index", "window:4096:256"}) {
      assertEquals(text, Shuffle.parse(text).toString());
    }
    assertThrows(UsageException.class, () -> Shuffle.parse("windows"));
    assertThrows(UsageException.class, () -> Shuffle.parse("window:0:1"));
  }
}
