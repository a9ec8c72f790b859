package dev.tandem.data.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.testkit.TestSeed;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Every pass has every record once, whatever a consumer leaves out. */
class TakenSamplesTest {

  private final SplittableRandom random = TestSeed.of(TakenSamplesTest.class).random();

  private SampleOrder order(int size) {
    return new SampleOrder(new Seed(random.nextLong()), size, Shuffle.BY_INDEX);
  }

  @Test
  void takesTheSequenceItselfIfItTakesAll() {
    SampleOrder order = order(57);
    TakenSamples taken = new TakenSamples(order, 0, 1);
    for (long sample = 0; sample < 4 * 57; sample++) {
      assertEquals(sample, taken.next());
      assertEquals(sample / 57, taken.visit());
      assertEquals(order.epoch(sample / 57).ordinal(sample % 57), taken.ordinal());
      taken.take();
    }
    assertEquals(4, taken.passes());
  }

  @Test
  void takesAllRecordsInAsManyRoundsAsItLeavesOut() {
    for (int every = 1; every <= 7; every++) {
      TakenSamples taken = new TakenSamples(order(203), 0, every);
      for (int pass = 1; pass <= 3; pass++) {
        requireOnce(taken, 203, () -> {});
        // The next pass begins with a round.
        assertTrue(taken.next() >= 203L * pass * every);
      }
    }
  }

  @Test
  void takesAllRecordsOnceWhereverItMovesTo() {
    for (int trial = 0; trial < 200; trial++) {
      int size = random.nextInt(1, 150);
      TakenSamples taken =
          new TakenSamples(order(size), random.nextLong(3L * size), random.nextInt(1, 6));
      for (int pass = 0; pass < 3; pass++) {
        requireOnce(
            taken,
            size,
            () -> {
              if (random.nextInt(size) < 3) {
                taken.move(taken.next() + random.nextInt(2 * size), random.nextInt(1, 6));
              }
            });
      }
    }
  }

  @Test
  void goesOnFromWhatItSaved() {
    for (int trial = 0; trial < 100; trial++) {
      int size = random.nextInt(1, 100);
      SampleOrder order = order(size);
      TakenSamples taken = new TakenSamples(order, random.nextLong(size), random.nextInt(1, 4));
      for (int i = random.nextInt(4 * size); i > 0; i--) {
        taken.take();
        if (random.nextInt(size) < 2) {
          taken.move(taken.next() + random.nextInt(size), random.nextInt(1, 5));
        }
      }
      TakenSamples again = TakenSamples.restore(order, taken.save());
      for (int i = 0; i < 3 * size; i++) {
        assertEquals(taken.next(), again.next());
        assertEquals(taken.ordinal(), again.ordinal());
        assertEquals(taken.visit(), again.visit());
        assertEquals(taken.passes(), again.passes());
        taken.take();
        again.take();
      }
    }
  }

  private static void requireOnce(TakenSamples taken, int size, Runnable between) {
    BitSet had = new BitSet();
    long pass = taken.passes();
    long before = -1;
    for (int i = 0; i < size; i++) {
      assertEquals(pass, taken.passes());
      between.run();
      assertTrue(taken.alone() || taken.next() > before);
      before = taken.alone() ? before : taken.next();
      int ordinal = (int) taken.ordinal();
      assertFalse(had.get(ordinal), "record " + ordinal + " twice");
      had.set(ordinal);
      taken.take();
    }
    assertEquals(size, had.cardinality());
    assertEquals(pass + 1, taken.passes());
  }
}
