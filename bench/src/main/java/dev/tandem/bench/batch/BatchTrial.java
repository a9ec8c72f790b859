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

  private static final Seed SEED = new Seed(83);
  private static final int RATE_BATCH = 64;
  private static final double RATE = 0.01;

  /** Above it training of this network becomes unstable. */
  private static final double HIGHEST_RATE = 0.32;

  private static final int LARS_FROM = 4096;
  private static final Lars.Settings LARS = new Lars.Settings(0.9, 5e-4, 0.03);
  private static final SgdMomentum.Settings MOMENTUM =
      new SgdMomentum.Settings(0.9, 5e-4, false, 2);
  private static final int TEST_BATCH = 500;

  /** What is the same for all trials. */
  record Setting(
      Engine engine, Fashion training, Fashion test, double target, int mostEpochs, Arena arena) {}

  private final Setting setting;
  private final String policy;
  private final int firstBatch;
  private final BatchSizing sizing;
  private final Samples room;
  private final Optimizer optimizer;
  private final Network network;
  private final int[] places;
  private int batch;
  private long steps;
  private long seen;

  private BatchTrial(Setting setting, String policy, int batch, int largest, BatchSizing sizing) {
    this.setting = setting;
    this.policy = policy;
    this.firstBatch = batch;
    this.batch = batch;
    this.sizing = sizing;
    room = setting.training().room(largest, setting.arena());
    network = Network.create(setting.engine(), LeNet.spec(10), SEED);
    optimizer =
        firstBatch >= LARS_FROM ? new Lars(network, LARS) : new SgdMomentum(network, MOMENTUM);
    places = new int[setting.training().size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = i;
    }
  }

  /** Trains until the target is reached or the epochs are over; the row is not judged yet. */
  static BatchRow run(
      Setting setting, String policy, int batch, int largest, BatchSizing sizing, String machine) {
    BatchTrial trial = new BatchTrial(setting, policy, batch, largest, sizing);
    try {
      return trial.train(machine);
    } finally {
      trial.optimizer.close();
      trial.network.close();
    }
  }

  private BatchRow train(String machine) {
    double seconds = 0;
    double accuracy = 0;
    int epoch = 0;
    while (epoch < setting.mostEpochs() && accuracy < setting.target()) {
      shuffle(epoch);
      long began = System.nanoTime();
      epoch(epoch);
      seconds += (System.nanoTime() - began) / 1e9;
      epoch++;
      accuracy = accuracy();
    }
    return new BatchRow(
        policy,
        firstBatch,
        batch,
        firstBatch >= LARS_FROM ? "lars" : "sgd",
        places.length,
        setting.target(),
        accuracy >= setting.target(),
        epoch,
        steps,
        seconds,
        accuracy,
        false,
        machine);
  }

  private void epoch(int epoch) {
    int at = 0;
    while (at < places.length) {
      int count = Math.min(batch, places.length - at);
      Samples samples = setting.training().gather(places, at, count, room);
      double rate = rate();
      double loss = network.forwardBackward(samples, TrainingStep.of(SEED, steps));
      optimizer.step(rate);
      steps++;
      at += count;
      seen += count;
      boolean ended = at == places.length;
      batch =
          sizing.next(
              new BatchObservation(
                  steps, ended ? epoch + 1 : epoch, ended, seen, loss, rate, batch, 0));
    }
  }

  /** In proportion to the batch; climbs during the first epoch's worth of samples. */
  private double rate() {
    double full = Math.min(HIGHEST_RATE, Schedule.linearlyScaled(RATE, RATE_BATCH, batch));
    double warm = Math.min(1, (double) (seen + batch) / places.length);
    return full * warm;
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
    SplittableRandom random = SEED.derive("order").derive(epoch).random();
    for (int i = places.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int place = places[i];
      places[i] = places[other];
      places[other] = place;
    }
  }
}
