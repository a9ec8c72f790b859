package dev.tandem.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SampleOrderTest {

  private static List<Long> epoch(SampleOrder order, long epoch, int ranks) {
    List<Long> ordinals = new ArrayList<>();
    for (long step = 0; step < order.stepsPerEpoch(); step++) {
      long global = epoch * order.stepsPerEpoch() + step;
      for (int rank = 0; rank < ranks; rank++) {
        SampleOrder.Share share = order.share(global, rank, ranks);
        assertEquals(epoch, share.epoch());
        for (long place = share.from(); place < share.to(); place++) {
          ordinals.add(order.ordinal(epoch, place));
        }
      }
    }
    return ordinals;
  }

  @Test
  void everySampleOncePerEpochInTheSameOrderForAnyRanks() {
    Seed seed = TestSeed.of(getClass());
    for (int round = 0; round < 100; round++) {
      SplittableRandom random = seed.derive(round).random();
      int size = random.nextInt(1, 2_000);
      SampleOrder order = new SampleOrder(seed, size, random.nextInt(1, 300));
      long epoch = random.nextInt(5);
      List<Long> expected = epoch(order, epoch, 1);
      BitSet seen = new BitSet();
      expected.forEach(ordinal -> seen.set(Math.toIntExact(ordinal)));
      assertEquals(size, expected.size());
      assertEquals(size, seen.cardinality());
      assertEquals(expected, epoch(order, epoch, random.nextInt(2, 9)));
    }
  }

  @Test
  void epochsAndSeedsDiffer() {
    SampleOrder order = new SampleOrder(new Seed(1), 500, 50);
    assertNotEquals(epoch(order, 0, 1), epoch(order, 1, 1));
    assertNotEquals(epoch(order, 0, 1), epoch(new SampleOrder(new Seed(2), 500, 50), 0, 1));
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
}
