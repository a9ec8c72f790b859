package dev.tandem.data.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.TestSeed;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StepsTest {

  private static Shuffle shuffle(SplittableRandom random, int size) {
    return switch (random.nextInt(3)) {
      case 0 -> Shuffle.NONE;
      case 1 -> Shuffle.BY_INDEX;
      default -> new Shuffle.ByWindow(random.nextInt(1, size + 20), random.nextInt(1, size + 20));
    };
  }

  /** The records of so many steps, as the ranks together get them. */
  private static List<Long> walk(Steps steps, Position from, long count, int ranks) {
    List<Long> ordinals = new ArrayList<>();
    Position position = from;
    for (long i = 0; i < count; i++) {
      Step step = steps.at(position);
      for (int rank = 0; rank < ranks; rank++) {
        Step.Share share = step.share(rank, ranks);
        for (long sample = share.from(); sample < share.from() + share.count(); sample++) {
          SampleOrder order = steps.order();
          ordinals.add(order.epoch(order.epochOf(sample)).ordinal(order.placeOf(sample)));
        }
      }
      position = step.next();
    }
    return ordinals;
  }

  @Test
  void everySampleExactlyOncePerEpochInTheSameOrderForAnyRanks() {
    Seed seed = TestSeed.of(getClass());
    for (int round = 0; round < 100; round++) {
      SplittableRandom random = seed.derive(round).random();
      int size = random.nextInt(1, 600);
      SampleOrder order = new SampleOrder(seed, size, shuffle(random, size));
      Steps steps = new Steps(order, random.nextInt(1, 300), EpochEnd.EXACT);
      long epoch = random.nextInt(5);
      Position begin = steps.position(epoch * steps.stepsFor(1));
      assertEquals(epoch * size, begin.sample());
      List<Long> expected = walk(steps, begin, steps.stepsFor(1), 1);
      BitSet seen = new BitSet();
      expected.forEach(ordinal -> seen.set(Math.toIntExact(ordinal)));
      assertEquals(size, expected.size(), order.toString());
      assertEquals(size, seen.cardinality(), order.toString());
      assertEquals(expected, walk(steps, begin, steps.stepsFor(1), random.nextInt(2, 9)));
    }
  }

  @Test
  void circularBatchesAreFullAndGoOnOverTheEndOfAnEpoch() {
    Seed seed = TestSeed.of(getClass());
    for (int round = 0; round < 50; round++) {
      SplittableRandom random = seed.derive(round).random();
      int size = random.nextInt(1, 100);
      SampleOrder order = new SampleOrder(seed, size, shuffle(random, size));
      int batch = random.nextInt(1, 250);
      Steps circular = new Steps(order, batch, EpochEnd.CIRCULAR);
      long count = circular.stepsFor(3);
      assertTrue(count * batch >= 3L * size && (count - 1) * batch < 3L * size);
      List<Long> all = walk(circular, Position.START, count, random.nextInt(1, 5));
      assertEquals(count * batch, all.size());
      Steps exact = new Steps(order, batch, EpochEnd.EXACT);
      List<Long> expected = walk(exact, Position.START, exact.stepsFor(3), 1);
      assertEquals(expected, all.subList(0, 3 * size));
    }
  }

  @Test
  void aStepIsFoundWithoutWalkingThere() {
    SampleOrder order = new SampleOrder(new Seed(5), 1_003, Shuffle.BY_INDEX);
    for (EpochEnd end : EpochEnd.values()) {
      Steps steps = new Steps(order, 64, end);
      Position position = Position.START;
      for (long step = 0; step < 100; step++) {
        assertEquals(position, steps.position(step));
        position = steps.at(position).next();
      }
    }
  }

  @Test
  void theBatchMayChangeDuringARun() {
    SampleOrder order = new SampleOrder(new Seed(5), 100, Shuffle.BY_INDEX);
    Steps small = new Steps(order, 10, EpochEnd.EXACT);
    Steps large = new Steps(order, 33, EpochEnd.EXACT);
    List<Long> all = walk(small, Position.START, 3, 1);
    Position middle = small.position(3);
    all.addAll(walk(large, middle, 3, 1));
    assertEquals(walk(small, Position.START, 10, 1), all);
  }

  @Test
  void epochsAndSeedsDiffer() {
    SampleOrder order = new SampleOrder(new Seed(1), 500, Shuffle.BY_INDEX);
    Steps steps = new Steps(order, 500, EpochEnd.EXACT);
    List<Long> first = walk(steps, Position.START, 1, 1);
    assertNotEquals(first, walk(steps, steps.position(1), 1, 1));
    SampleOrder other = new SampleOrder(new Seed(2), 500, Shuffle.BY_INDEX);
    assertNotEquals(first, walk(new Steps(other, 500, EpochEnd.EXACT), Position.START, 1, 1));
  }

  @Test
  void aPositionIsSavedWithTheOrderItBelongsTo() {
    Shuffle shuffle = new Shuffle.ByWindow(64, 16);
    Steps steps = new Steps(new SampleOrder(new Seed(7), 100, shuffle), 10, EpochEnd.EXACT);
    String saved = steps.save(steps.position(13));
    assertEquals("step=13 sample=130 order=seed:7,records:100,shuffle:window:64:16", saved);
    assertEquals(steps.position(13), steps.restore(saved));
    Steps other = new Steps(new SampleOrder(new Seed(8), 100, shuffle), 10, EpochEnd.EXACT);
    assertThrows(UsageException.class, () -> other.restore(saved));
    assertThrows(UsageException.class, () -> steps.restore("step=1"));
  }
}
