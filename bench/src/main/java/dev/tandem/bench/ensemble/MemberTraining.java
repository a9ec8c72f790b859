package dev.tandem.bench.ensemble;

import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.data.load.Batch;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.Samples;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.models.SmallCnn;
import dev.tandem.posix.ResourceUsage;

/** A small network that a member trains, in the thread that takes the images. One thread. */
final class MemberTraining implements AutoCloseable {

  private static final Seed SEED = new Seed(3);
  private static final double RATE = 1e-3;

  private final Network network =
      Network.create(
          Engine.start(1),
          SmallCnn.spec(
              Shape.of(3, EnsembleImages.SIDE, EnsembleImages.SIDE), EnsembleImages.COUNT),
          SEED);
  private final SgdMomentum optimizer =
      new SgdMomentum(network, new SgdMomentum.Settings(0.9, 0, false, 1));
  private final ResourceUsage.Reader usage = ResourceUsage.reader().orElseThrow();
  private double cpuSeconds;
  private long steps;

  /** Learns from a batch. */
  void step(Batch batch) {
    double began = now();
    network.forwardBackward(
        new Samples(batch.images(), batch.labels(), batch.count()), TrainingStep.of(SEED, steps++));
    optimizer.step(RATE);
    cpuSeconds += now() - began;
  }

  /** What all steps took of the processor. */
  double cpuSeconds() {
    return cpuSeconds;
  }

  private double now() {
    return usage.thread().processorTime().toNanos() / 1e9;
  }

  @Override
  public void close() {
    optimizer.close();
    network.close();
  }
}
