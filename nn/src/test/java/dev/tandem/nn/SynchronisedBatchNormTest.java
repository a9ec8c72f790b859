package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class SynchronisedBatchNormTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkSpec SPEC = SmallGraph.spec();
  private static final int SHARDS = 3;
  private static final int SHARD = 4;

  @Test
  void shardsThatMeetAreOneBatch() {
    Seed seed = TestSeed.of(SynchronisedBatchNormTest.class);
    NetworkOptions exact = NetworkOptions.DEFAULT.withDtype(DType.FLOAT64);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT64, SHARDS * SHARD);
    TrainingStep step = TrainingStep.of(seed, 2);
    try (Network whole = Network.create(ENGINE, SPEC, seed, exact);
        Network cut = Network.create(ENGINE, SPEC, seed, exact)) {
      double loss = whole.forwardBackward(batch.samples(), step);
      double[] losses =
          cut.forwardBackward(shards(batch), step.withStatistics(StatisticsReducer.LOCAL));
      assertEquals(loss, (losses[0] + losses[1] + losses[2]) / SHARDS, 1e-12);
      for (int p = 0; p < whole.gradients().size(); p++) {
        double[] expected = Batches.numbers(whole.gradients().get(p));
        double[] mean = new double[expected.length];
        for (int s = 0; s < SHARDS; s++) {
          double[] part = Batches.numbers(cut.gradients(s).get(p));
          for (int i = 0; i < mean.length; i++) {
            mean[i] += part[i] / SHARDS;
          }
        }
        assertArrayEquals(expected, mean, 1e-11, whole.gradients().get(p).name());
      }
      for (int b = 0; b < whole.buffers().size(); b++) {
        assertArrayEquals(
            Batches.numbers(whole.buffers().get(b)), Batches.numbers(cut.buffers().get(b)), 1e-12);
      }
    }
  }

  /**
   * Gradients of shards of 1, 7 and 4 samples, as parts of one step, add up to those of the step.
   */
  @Test
  void unequalShardsThatMeetAreOneBatch() {
    Seed seed = TestSeed.of(SynchronisedBatchNormTest.class);
    NetworkOptions exact = NetworkOptions.DEFAULT.withDtype(DType.FLOAT64);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT64, SHARDS * SHARD);
    List<Samples> shards =
        List.of(batch.part(0, 1).samples(), batch.part(1, 7).samples(), batch.part(8, 4).samples());
    TrainingStep step = TrainingStep.of(seed, 2);
    try (Network whole = Network.create(ENGINE, SPEC, seed, exact);
        Network cut = Network.create(ENGINE, SPEC, seed, exact)) {
      whole.forwardBackward(batch.samples(), step);
      cut.forwardBackward(
          shards, step.withStatistics(StatisticsReducer.LOCAL).withMeanOver(batch.count()));
      for (int p = 0; p < whole.gradients().size(); p++) {
        double[] sum = new double[Batches.numbers(whole.gradients().get(p)).length];
        for (int s = 0; s < SHARDS; s++) {
          double[] part = Batches.numbers(cut.gradients(s).get(p));
          Arrays.setAll(sum, i -> sum[i] + part[i]);
        }
        assertArrayEquals(
            Batches.numbers(whole.gradients().get(p)), sum, 1e-11, whole.gradients().get(p).name());
      }
    }
  }

  /** One rank with three shards, or three ranks with one each: the same bits. */
  @Test
  void ranksThatMeetGiveTheBitsOfOneRank() throws Exception {
    Seed seed = TestSeed.of(SynchronisedBatchNormTest.class);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT32, SHARDS * SHARD);
    TrainingStep step = TrainingStep.of(seed, 2);
    Meeting meeting = new Meeting(SHARDS);
    try (Network alone = Network.create(ENGINE, SPEC, seed);
        ExecutorService ranks = Executors.newFixedThreadPool(SHARDS)) {
      alone.forwardBackward(shards(batch), step.withStatistics(StatisticsReducer.LOCAL));
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < SHARDS; i++) {
        int rank = i;
        running.add(
            ranks.submit(
                () -> {
                  try (Network network = Network.create(ENGINE, SPEC, seed)) {
                    network.forwardBackward(
                        shards(batch).get(rank),
                        step.withFirstSample((long) rank * SHARD)
                            .withStatistics(
                                (layer, parts, total) -> meeting.sum(rank, parts, total)));
                    assertSameBits(alone.gradients(rank), network.gradients());
                    assertSameBits(alone.buffers(), network.buffers());
                  }
                  return null;
                }));
      }
      for (Future<?> rank : running) {
        Watchdog.within(Duration.ofMinutes(1), rank::get);
      }
    }
  }

  /** Threads that wait for each other's parts and add them in the order of ranks. */
  private static final class Meeting {

    private final MemorySegment[] parts;
    private final CyclicBarrier barrier;

    Meeting(int ranks) {
      parts = new MemorySegment[ranks];
      barrier = new CyclicBarrier(ranks);
    }

    void sum(int rank, List<MemorySegment> own, MemorySegment total) {
      parts[rank] = own.getFirst();
      await();
      StatisticsReducer.LOCAL.sum("all", List.of(parts), total);
      await();
    }

    private void await() {
      try {
        barrier.await();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static List<Samples> shards(Batches batch) {
    List<Samples> shards = new ArrayList<>();
    for (int s = 0; s < SHARDS; s++) {
      shards.add(batch.part(s * SHARD, SHARD).samples());
    }
    return shards;
  }

  private static void assertSameBits(List<TensorView> expected, List<TensorView> actual) {
    for (int i = 0; i < expected.size(); i++) {
      assertArrayEquals(
          expected.get(i).data().toArray(ValueLayout.JAVA_BYTE),
          actual.get(i).data().toArray(ValueLayout.JAVA_BYTE),
          expected.get(i).name());
    }
  }
}
