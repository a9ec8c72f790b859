package dev.tandem.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.request.GradientRule;
import dev.tandem.sync.request.Operation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A job that a seed makes up: its ranks train with random tensors in random orders; a tensor
 * changes its shape at some step, a layer is there only in some, ranks run out of data, and a group
 * of ranks sums something of its own at the same time. Every result is compared with that of {@link
 * GradientReference}: sums bit by bit, also compressed ones.
 */
final class RandomJob {

  /** For combinations, whose scalar products are summed in another order. */
  private static final float NEAR = 1e-5f;

  private final Seed seed;
  private final GradientRule rule;
  private final int ranks;
  private final int steps;
  private final int tensors;
  private final int shapeChange;
  private final int dynamicPeriod;
  private final boolean statistics;
  private final boolean twoThreads;
  private final boolean grouped;
  // By rank: after so many steps it has no more data.
  private final int[] stepsOfRank;

  RandomJob(Seed seed, int mostRanks, GradientRule rule) {
    this.seed = seed;
    this.rule = rule;
    SplittableRandom random = seed.random();
    ranks = 2 + random.nextInt(mostRanks - 1);
    steps = 4 + random.nextInt(8);
    tensors = 1 + random.nextInt(10);
    shapeChange = random.nextInt(2 * steps);
    dynamicPeriod = random.nextBoolean() ? 2 + random.nextInt(5) : steps + 1;
    statistics = random.nextInt(3) == 0;
    twoThreads = random.nextInt(3) == 0;
    grouped = random.nextInt(3) == 0;
    stepsOfRank = new int[ranks];
    boolean uneven = random.nextInt(3) == 0;
    for (int rank = 0; rank < ranks; rank++) {
      stepsOfRank[rank] = uneven ? 1 + random.nextInt(steps) : steps;
    }
    stepsOfRank[random.nextInt(ranks)] = steps;
  }

  int ranks() {
    return ranks;
  }

  /** One rank's part. */
  Void run(Communicator communicator, SyncOptions options) throws Exception {
    int rank = communicator.rank();
    GradientReference sums = new GradientReference(GradientRule.SUM);
    GradientReference treated = new GradientReference(rule);
    float tolerance = rule.reduction() == Operation.ADASUM ? NEAR : 0;
    try (Synchronizer synchronizer =
            Synchronizer.over(communicator, options).treating(rule).start();
        ExecutorService threads = Executors.newFixedThreadPool(2)) {
      Future<?> group = threads.submit(() -> group(communicator, options));
      for (int step = 0; step < stepsOfRank[rank]; step++) {
        if (statistics) {
          TensorView statistic = tensor(step, rank, "statistics", 5);
          synchronizer.sum(statistic);
          check(statistic, step, 1, sums, 0);
        }
        List<TensorView> gradients = gradients(step, rank);
        Collections.shuffle(
            gradients, new Random(seed.derive(step).derive(rank).derive("order").value()));
        submit(synchronizer, threads, gradients, rank);
        synchronizer.await();
        for (TensorView gradient : gradients) {
          check(gradient, step, 0, treated, tolerance);
        }
      }
      synchronizer.join();
      group.get();
      communicator.barrier();
    }
    return null;
  }

  private void submit(
      Synchronizer synchronizer, ExecutorService threads, List<TensorView> gradients, int rank)
      throws InterruptedException, ExecutionException {
    int cut = twoThreads ? gradients.size() / 2 : 0;
    Future<?> other =
        threads.submit(
            () ->
                gradients
                    .subList(0, cut)
                    .forEach(gradient -> synchronizer.submit(gradient, weight(rank))));
    gradients
        .subList(cut, gradients.size())
        .forEach(gradient -> synchronizer.submit(gradient, weight(rank)));
    other.get();
  }

  /** The first two ranks sum something of their own. */
  private void group(Communicator communicator, SyncOptions options) {
    if (!grouped || communicator.rank() > 1) {
      return;
    }
    try (Communicator pair = communicator.group(0, 1);
        Synchronizer synchronizer = Synchronizer.over(pair, options).start()) {
      for (int step = 0; step < 3; step++) {
        float[] values = {step, pair.rank()};
        synchronizer.submit(view("pair", values), 1);
        synchronizer.await();
        assertEquals(2f * step, values[0]);
        assertEquals(1f, values[1]);
      }
      pair.barrier();
    }
  }

  private List<TensorView> gradients(int step, int rank) {
    List<TensorView> gradients = new ArrayList<>();
    for (int i = 0; i < tensors; i++) {
      boolean dynamic = i == tensors - 1 && tensors > 1;
      if (!dynamic || step % dynamicPeriod == 0) {
        int length = 1 + seed.derive(i).random().nextInt(3_000);
        boolean changed = i == 0 && step >= shapeChange;
        gradients.add(tensor(step, rank, "gradient" + i, changed ? length + 3 : length));
      }
    }
    return gradients;
  }

  private TensorView tensor(int step, int rank, String name, int length) {
    return view(name, values(step, rank, name, length));
  }

  private static TensorView view(String name, float[] values) {
    return new TensorView(
        name, DType.FLOAT32, Shape.of(values.length), MemorySegment.ofArray(values));
  }

  private float[] values(int step, int rank, String name, int length) {
    SplittableRandom random = seed.derive(name).derive(step).derive(rank).random();
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      values[i] = (float) random.nextDouble(-1, 1);
    }
    return values;
  }

  private static float weight(int rank) {
    return 1f / (2 + rank);
  }

  private void check(
      TensorView tensor, int step, float fixedWeight, GradientReference reference, float near) {
    int length = (int) tensor.shape().elements();
    List<float[]> weighted = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      float weight = fixedWeight == 0 ? weight(rank) : fixedWeight;
      weighted.add(
          step < stepsOfRank[rank]
              ? times(values(step, rank, tensor.name(), length), weight)
              : null);
    }
    float[] expected = reference.result(tensor.name(), weighted, length);
    float[] actual = (float[]) tensor.data().heapBase().orElseThrow();
    for (int i = 0; i < length; i++) {
      assertEquals(expected[i], actual[i], near, "element %d of %s".formatted(i, tensor.name()));
    }
  }

  private static float[] times(float[] values, float weight) {
    for (int i = 0; i < values.length; i++) {
      values[i] *= weight;
    }
    return values;
  }
}
