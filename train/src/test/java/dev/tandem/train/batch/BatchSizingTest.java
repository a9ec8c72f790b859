package dev.tandem.train.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongToDoubleFunction;
import org.junit.jupiter.api.Test;

class BatchSizingTest {

  private static final long SEED = 843;
  private static final GrowingBatch.Settings SETTINGS =
      new GrowingBatch.Settings(1024, 2, 0.05, 10_000);

  @Test
  void growsWhenTheLossFallsSlowlyAndNotBefore() {
    // Halves every 20,000 samples up to sample 100,000, and stays from there on.
    List<Integer> batches =
        train(
            new GrowingBatch(SETTINGS),
            64,
            400_000,
            samples -> 2 * Math.pow(0.5, Math.min(samples, 100_000) / 20_000.0));
    assertEquals(64, batchAt(batches, 110_000));
    assertEquals(1024, batches.getLast());
    assertTrue(
        batches.stream().distinct().toList().equals(List.of(64, 128, 256, 512, 1024)),
        batches::toString);
  }

  @Test
  void staysWhileTheLossFallsFastEnough() {
    List<Integer> batches =
        train(
            new GrowingBatch(SETTINGS), 64, 300_000, samples -> Math.pow(0.9, samples / 10_000.0));
    assertEquals(List.of(64), batches.stream().distinct().toList());
  }

  @Test
  void aRisingLossGrowsTheBatchToo() {
    List<Integer> batches =
        train(new GrowingBatch(SETTINGS), 64, 100_000, samples -> 1 + samples / 1e5);
    assertTrue(batches.getLast() > 64);
  }

  @Test
  void neverLeavesItsLimitsNorShrinksWhateverTheLoss() {
    SplittableRandom random = new Seed(SEED).random();
    for (int round = 0; round < 200; round++) {
      int start = random.nextInt(1, 300);
      int limit = random.nextInt(start, 4000);
      int factor = random.nextInt(2, 5);
      long window = random.nextLong(1, 3000);
      GrowingBatch.Settings settings =
          new GrowingBatch.Settings(limit, factor, random.nextDouble(0.001, 0.9), window);
      long noise = random.nextLong();
      LongToDoubleFunction loss = samples -> new SplittableRandom(noise + samples).nextDouble(0, 3);
      List<Integer> batches = train(new GrowingBatch(settings), start, 60_000, loss);
      String message = "seed %d, round %d: %s".formatted(SEED, round, settings);
      for (int i = 0; i < batches.size(); i++) {
        assertTrue(batches.get(i) >= start && batches.get(i) <= limit, message);
        assertTrue(i == 0 || batches.get(i) >= batches.get(i - 1), message);
      }
      assertEquals(batches, train(new GrowingBatch(settings), start, 60_000, loss), message);
    }
  }

  @Test
  void aRestoredPolicyGoesOnAsIfNothingHadHappened() {
    LongToDoubleFunction loss = samples -> 1 / (1 + samples / 30_000.0);
    GrowingBatch whole = new GrowingBatch(SETTINGS);
    GrowingBatch cut = new GrowingBatch(SETTINGS);
    int batch = 64;
    long samples = 0;
    for (int step = 1; step < 3000; step++) {
      samples += batch;
      BatchObservation seen = observation(step, samples, loss.applyAsDouble(samples), batch);
      int next = whole.next(seen);
      GrowingBatch restored = new GrowingBatch(SETTINGS);
      restored.restore(cut.save());
      cut = restored;
      assertEquals(next, cut.next(seen), "step " + step);
      batch = next;
    }
    assertTrue(batch > 64, "the batch has grown");
    GrowingBatch other = new GrowingBatch(SETTINGS);
    assertThrows(UsageException.class, () -> other.restore("1 2"));
    assertThrows(UsageException.class, () -> other.restore("1 2 x -"));
  }

  @Test
  void aFixedBatchStays() {
    assertEquals(64, BatchSizing.FIXED.next(observation(1, 64, 1, 64)));
  }

  @Test
  void meaninglessSettingsAreRefused() {
    assertThrows(UsageException.class, () -> new GrowingBatch.Settings(64, 2, 1.5, 100));
  }

  /** The batch of each step of a training with a loss that depends on the samples seen. */
  private static List<Integer> train(
      BatchSizing policy, int first, long samples, LongToDoubleFunction loss) {
    List<Integer> batches = new ArrayList<>();
    int batch = first;
    for (long seen = 0; seen < samples; ) {
      batches.add(batch);
      seen += batch;
      batch = policy.next(observation(batches.size(), seen, loss.applyAsDouble(seen), batch));
    }
    return batches;
  }

  private static int batchAt(List<Integer> batches, long sample) {
    long seen = 0;
    for (int batch : batches) {
      seen += batch;
      if (seen >= sample) {
        return batch;
      }
    }
    return batches.getLast();
  }

  private static BatchObservation observation(long step, long samples, double loss, int batch) {
    return new BatchObservation(step, 0, false, samples, loss, 0.1, batch);
  }
}
