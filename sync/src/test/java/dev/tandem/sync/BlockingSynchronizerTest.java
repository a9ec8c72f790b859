package dev.tandem.sync;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class BlockingSynchronizerTest {

  private static final int STEPS = 20;

  private static float[] values(Seed seed, int step, int rank, int length) {
    SplittableRandom random = seed.derive(step).derive(rank).random();
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      values[i] = (float) random.nextDouble(-1, 1);
    }
    return values;
  }

  private static TensorView view(String name, float[] values) {
    return new TensorView(
        name, DType.FLOAT32, Shape.of(values.length), MemorySegment.ofArray(values));
  }

  /** The two gradients of every step, as one rank has them afterwards. */
  private static List<float[]> train(Communicator communicator, Seed seed, float[] weights) {
    GradientSynchronizer synchronizer = new BlockingSynchronizer(communicator);
    List<float[]> results = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      int rank = communicator.rank();
      float[] first = values(seed, step, rank, 1_000);
      float[] second = values(seed.derive("second"), step, rank, 7);
      synchronizer.submit(view("first", first), weights[rank]);
      synchronizer.submit(view("second", second), weights[rank]);
      synchronizer.await();
      results.add(first);
      results.add(second);
    }
    return results;
  }

  @Test
  void everyRankGetsTheWeightedSumWithTheSameBits() throws Exception {
    Seed seed = TestSeed.of(getClass());
    float[] weights = {0.5f, 0.375f, 0.125f};
    List<List<float[]>> perRank =
        Watchdog.within(
            Duration.ofMinutes(1),
            () -> {
              try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Callable<List<float[]>>> ranks = new ArrayList<>();
                for (Communicator communicator : Communicator.threads(weights.length)) {
                  ranks.add(() -> train(communicator, seed, weights));
                }
                List<List<float[]>> results = new ArrayList<>();
                for (Future<List<float[]>> future : threads.invokeAll(ranks)) {
                  results.add(future.get());
                }
                return results;
              }
            });
    for (int step = 0; step < STEPS; step++) {
      float[] expected = new float[1_000];
      for (int rank = 0; rank < weights.length; rank++) {
        float[] values = values(seed, step, rank, 1_000);
        for (int i = 0; i < expected.length; i++) {
          expected[i] += values[i] * weights[rank];
        }
      }
      for (List<float[]> results : perRank) {
        assertArrayEquals(expected, results.get(2 * step), 1e-6f);
        assertArrayEquals(perRank.getFirst().get(2 * step), results.get(2 * step));
        assertArrayEquals(perRank.getFirst().get(2 * step + 1), results.get(2 * step + 1));
      }
    }
  }

  @Test
  void doublesAreSummedAsDoubles() throws Exception {
    List<Double> sums =
        Ranks.run(
            2,
            Duration.ofMinutes(1),
            communicator -> {
              double[] values = {communicator.rank() == 0 ? 1 : 0x1p-40};
              GradientSynchronizer synchronizer = new BlockingSynchronizer(communicator);
              synchronizer.submit(
                  new TensorView(
                      "exact", DType.FLOAT64, Shape.of(1), MemorySegment.ofArray(values)),
                  0.5f);
              synchronizer.await();
              return values[0];
            });
    assertEquals(List.of(0.5 + 0x1p-41, 0.5 + 0x1p-41), sums);
  }

  @Test
  void otherTypesAreRefusedByName() {
    try (Communicator alone = Communicator.alone()) {
      TensorView integers =
          new TensorView("steps", DType.INT64, Shape.of(1), MemorySegment.ofArray(new long[1]));
      GradientSynchronizer synchronizer = new BlockingSynchronizer(alone);
      assertThrows(IllegalArgumentException.class, () -> synchronizer.submit(integers, 1));
    }
  }
}
