package dev.tandem.bench.batch;

import dev.tandem.core.Seed;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Evaluation;
import dev.tandem.nn.Lars;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.Samples;
import dev.tandem.nn.Schedule;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.models.LeNet;
import dev.tandem.train.batch.BatchObservation;
import dev.tandem.train.batch.BatchSizing;
import java.lang.foreign.Arena;
import java.util.SplittableRandom;

/**
 * One training of LeNet from the first values until it is good enough, with settings after the
 * study that is repeated here (000, 8.3.6): momentum 0.9, a learning rate in proportion to the
 * batch up to a highest one, warm-up in a straight line, LARS from batch 4096 on.
 */
final class BatchTrial {

  private static final int RATE_BATCH = 64;
  private static final double RATE = 0.01;

  /** Above it training of this network becomes unstable. */
  private static final double HIGHEST_RATE = 0.32;

  private static final int LARS_FROM = 4096;
  private static final Lars.Settings LARS = new Lars.Settings(0.9, 5e-4, 0.03);
  private static final SgdMomentum.Settings MOMENTUM =
      new SgdMomentum.Settings(0.9, 5e-4, false, 2);
  private static final int TEST_BATCH = 500;
  private static final int TESTS_PER_EPOCH = 4;

  /** What is the same for all trials. */
  record Setting(
      Engine engine,
      Fashion training,
      Fashion test,
      double target,
      int mostEpochs,
      String machine,
      Arena arena) {}

  /** Notified after every test; must return quickly. */
  @FunctionalInterface
  interface TestListener {

    void tested(double epochs, double accuracy);
  }

  private final Setting setting;
  private final BatchPlan plan;
  private final Seed seed;
  private final BatchSizing sizing;
  private final Samples room;
  private final Optimizer optimizer;
  private final Network network;
  private final int[] places;
  private final long testEvery;
  private int batch;
  private long steps;
  private long seen;
  private long testedAt;
  private double accuracy;
  private double seconds;
  private double lastLoss;
  private double lastRate;

  private BatchTrial(Setting setting, BatchPlan plan, Seed seed) {
    this.setting = setting;
    this.plan = plan;
    this.seed = seed;
    batch = plan.first();
    sizing = plan.sizing().get();
    room = setting.training().room(plan.largest(), setting.arena());
    network = Network.create(setting.engine(), LeNet.spec(10), seed);
    optimizer = largeFirst() ? new Lars(network, LARS) : new SgdMomentum(network, MOMENTUM);
    places = new int[setting.training().size()];
    testEvery = Math.ceilDiv(places.length, TESTS_PER_EPOCH);
    for (int i = 0; i < places.length; i++) {
      places[i] = i;
    }
  }

  /** Trains until the target is reached or the epochs are over; the row is not judged yet. */
  static BatchRow run(Setting setting, BatchPlan plan, Seed seed, TestListener listener) {
    BatchTrial trial = new BatchTrial(setting, plan, seed);
    try {
      return trial.train(listener);
    } finally {
      trial.close();
    }
  }

  /** Some steps and a test that do not count, of a network that is discarded. */
  static void rehearse(Setting setting, BatchPlan plan, int steps, Seed seed) {
    BatchTrial trial = new BatchTrial(setting, plan, seed);
    try {
      for (int step = 0; step < steps; step++) {
        trial.step(0, Math.min(trial.batch, trial.places.length));
      }
      trial.accuracy();
    } finally {
      trial.close();
    }
  }

  private void close() {
    optimizer.close();
    network.close();
  }

  private boolean largeFirst() {
    return plan.first() >= LARS_FROM;
  }

  private BatchRow train(TestListener listener) {
    for (int epoch = 0; epoch < setting.mostEpochs() && !reached(); epoch++) {
      shuffle(epoch);
      epoch(epoch, listener);
    }
    return new BatchRow(
        plan.policy(),
        plan.first(),
        batch,
        largeFirst() ? "lars" : "sgd",
        places.length,
        seed.value(),
        setting.target(),
        reached(),
        epochs(),
        steps,
        seconds,
        accuracy,
        false,
        setting.machine());
  }

  private double epochs() {
    return (double) seen / places.length;
  }

  private boolean reached() {
    return accuracy >= setting.target();
  }

  /** Goes through all samples, or until a test says that it is enough. */
  private void epoch(int epoch, TestListener listener) {
    int at = 0;
    while (at < places.length && !reached()) {
      long began = System.nanoTime();
      int count = Math.min(batch, places.length - at);
      step(at, count);
      at += count;
      boolean ended = at == places.length;
      seconds += (System.nanoTime() - began) / 1e9;
      if (ended || seen - testedAt >= testEvery) {
        testedAt = seen;
        accuracy = accuracy();
        listener.tested(epochs(), accuracy);
      }
      if (!reached()) {
        batch = nextBatch(epoch, ended);
      }
    }
  }

  private void step(int at, int count) {
    Samples samples = setting.training().gather(places, at, count, room);
    lastRate = rate();
    lastLoss = network.forwardBackward(samples, TrainingStep.of(seed, steps));
    optimizer.step(lastRate);
    steps++;
    seen += count;
  }

  private int nextBatch(int epoch, boolean ended) {
    return sizing.next(
        new BatchObservation(
            steps, ended ? epoch + 1 : epoch, ended, seen, lastLoss, lastRate, batch));
  }

  /** In proportion to the first batch; climbs during the first epoch's worth of samples. */
  private double rate() {
    double first = Math.min(HIGHEST_RATE, Schedule.linearlyScaled(RATE, RATE_BATCH, plan.first()));
    double growth = Math.pow((double) batch / plan.first(), plan.rateGrowth());
    double warm = Math.min(1, (double) (seen + batch) / places.length);
    return first * growth * warm;
  }

  private double accuracy() {
    Evaluation sum = Evaluation.NONE;
    for (int at = 0; at < setting.test().size(); at += TEST_BATCH) {
      int count = Math.min(TEST_BATCH, setting.test().size() - at);
      sum = sum.plus(network.evaluate(setting.test().slice(at, count)));
    }
    return sum.accuracy();
  }

  private void shuffle(int epoch) {
    SplittableRandom random = seed.derive("order").derive(epoch).random();
    for (int i = places.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int place = places[i];
      places[i] = places[other];
      places[other] = place;
    }
  }
}
