package dev.tandem.bench.gpu;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.device.BucketedSum;
import dev.tandem.comm.device.DeviceMemory;
import dev.tandem.core.Seed;
import dev.tandem.nn.Engine;
import dev.tandem.nn.GradientListener;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.Samples;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.StateCopy;
import dev.tandem.nn.TrainingStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** A network on a GPU that trains on batches of random images. One thread. */
final class GpuTraining implements AutoCloseable {

  static final Seed SEED = new Seed(6);
  private static final double LEARNING_RATE = 0.01;

  /** Small enough that differences of rounding do not grow to the size of the losses. */
  static final double GENTLE_RATE = 0.001;

  private static final int SAVE_EVERY = 10;

  private static final SgdMomentum.Settings SETTINGS =
      new SgdMomentum.Settings(0.9, 0, false, Double.POSITIVE_INFINITY);

  private final GpuNetwork kind;
  private final Network network;
  private final Optimizer optimizer;
  private final Arena arena;
  private final Samples samples;
  private final Optional<DeviceMemory> row;
  private final Optional<BucketedSum> sum;
  private long steps;
  private StateCopy copy;

  /**
   * A training of one rank.
   *
   * @param ranks who sum gradients, if there are several
   */
  GpuTraining(
      Engine engine, GpuNetwork kind, NetworkOptions options, int batch, Communicator ranks) {
    this.kind = kind;
    network = Network.create(engine, kind.spec(), SEED, options);
    optimizer = new SgdMomentum(network, SETTINGS);
    arena = network.sampleArena();
    samples = batch(0, batch);
    network.stage(samples.inputs(), samples.targets());
    network.awaitStaged();
    row = ranks.size() > 1 ? network.gradientRow() : Optional.empty();
    sum = row.map(memory -> new BucketedSum(ranks, memory));
  }

  Network network() {
    return network;
  }

  /** The batch with this number, the same in every process; in memory of this. */
  Samples batch(int number, int count) {
    SplittableRandom random = SEED.derive("batch").derive(number).random();
    long elements = kind.spec().input().elements() * count;
    MemorySegment inputs = arena.allocate(elements * Float.BYTES, 64);
    for (long i = 0; i < elements; i++) {
      inputs.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) (2 * random.nextDouble() - 1));
    }
    MemorySegment labels = arena.allocate((long) count * Long.BYTES, 64);
    for (long i = 0; i < count; i++) {
      labels.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextInt(kind.spec().classes()));
    }
    return new Samples(inputs, labels, count);
  }

  /** A step with its update on the batch that is on the GPU; the loss. */
  double step() {
    return step(samples, false, LEARNING_RATE);
  }

  /** A step whose gradients ranks sum while the backward pass goes on. */
  double exchangingStep() {
    return step(samples, true, LEARNING_RATE);
  }

  /** A step; after every tenth a copy of the state is taken, as for a checkpoint. */
  double savingStep() {
    double loss = step();
    if (steps % SAVE_EVERY == 0) {
      release();
      copy = optimizer.stateCopy(Map.of());
    }
    return loss;
  }

  /** What a checkpoint would have written by now. */
  private void release() {
    if (copy != null) {
      copy.arrival().await();
      copy.arrival().done();
      copy = null;
    }
  }

  /** A step on any batch. */
  double step(Samples batch, boolean exchanging, double rate) {
    TrainingStep step = TrainingStep.of(SEED, steps++);
    double loss;
    if (exchanging && sum.isPresent()) {
      BucketedSum to = sum.get();
      GradientListener told =
          (_, parameter, gradient) ->
              to.add(network.gradientOffset(parameter), gradient.byteSize());
      loss = network.forwardBackward(batch, step.withListener(told));
      to.await();
    } else {
      loss = network.forwardBackward(batch, step);
    }
    optimizer.step(rate);
    return loss;
  }

  @Override
  public void close() {
    release();
    sum.ifPresent(BucketedSum::close);
    row.ifPresent(DeviceMemory::close);
    network.unstage();
    optimizer.close();
    arena.close();
    network.close();
  }
}
