package dev.tandem.bench.servers;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.RecordSource;
import dev.tandem.data.augment.Augmentations;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.glyphs.Glyph;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Loader;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.Preparation;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Evaluation;
import dev.tandem.nn.GradientListener;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.Samples;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.models.DigitsNetwork;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.train.config.OptimizerConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What a rank trains: the demo's network on drawn digits from a database, with normalised groups of
 * channels, so that short turns already learn something. For one thread.
 */
final class ServersWorkload implements AutoCloseable {

  static final Seed SEED = new Seed(7);
  static final double LEARNING_RATE = 0.05;

  /** Little momentum: gradients that come late act as more of it. */
  static final OptimizerConfig.Sgd RULE = new OptimizerConfig.Sgd(0.5, 5e-4, false);

  /** Of a rank. */
  static final int BATCH = 16;

  private static final int TEST_BATCH = 250;

  private final Communicator communicator;
  private final RecordSource training;
  private final RecordSource test;
  private final Network network =
      Network.create(Engine.start(1), spec(), SEED.derive("parameters"));
  private final Arena arena = Arena.ofShared();
  private final MemorySegment firstParameters;

  ServersWorkload(Communicator communicator, RecordSource training, RecordSource test) {
    this.communicator = communicator;
    this.training = training;
    this.test = test;
    firstParameters = arena.allocate(network.parameterBuffer().byteSize(), 64);
    firstParameters.copyFrom(network.parameterBuffer());
  }

  private static NetworkSpec spec() {
    NetworkBuilder builder = new NetworkBuilder(Shape.of(1, Glyph.SIDE, Glyph.SIDE));
    for (int stage = 1; stage <= 3; stage++) {
      builder.add(new Convolution("conv" + stage, 8 << stage, 3, 1, 1)); // 16, 32, 64 channels
      builder.add(new MaxPool("pool" + stage, 2, 2));
      builder.add(new GroupNorm("norm" + stage, 4));
      builder.add(Activation.relu("relu" + stage));
    }
    builder.add(new Flatten("flatten")); // 576
    builder.add(new FullyConnected("scores", Glyph.CLASSES));
    return builder.build();
  }

  Network network() {
    return network;
  }

  /** Back to the first parameters; the optimizer has no momentum yet. */
  Optimizer begin() {
    network.parameterBuffer().copyFrom(firstParameters);
    return RULE.create(network);
  }

  /** This rank's samples of a number of steps, decoded by a thread of its own. */
  Loader samples(long steps) {
    Steps order =
        new Steps(
            new SampleOrder(SEED, training.size(), Shuffle.BY_INDEX),
            BATCH * communicator.size(),
            EpochEnd.CIRCULAR);
    Plan plan = new Plan(communicator.rank(), communicator.size(), Position.START, steps);
    return new Loader(training, order, preparation(), plan, LoaderOptions.DEFAULT.withThreads(1));
  }

  private static Preparation preparation() {
    return new Preparation(
        new DatumDecoder(1),
        Augmentations.NONE,
        Normalisation.all(DigitsNetwork.PIXEL_MEAN, DigitsNetwork.PIXEL_DEVIATION),
        new ImageFormat(1, Glyph.SIDE, Glyph.SIDE, Glyph.CLASSES, 0, 1),
        SEED);
  }

  /** Leaves this rank's part of the mean over all samples of a step in the network. */
  void gradients(Batch batch, long step, GradientListener listener) {
    network.forwardBackward(
        new Samples(batch.images(), batch.labels(), batch.count()),
        TrainingStep.of(SEED, step).withMeanOver(batch.globalCount()).withListener(listener));
  }

  /** How well the network does on the test samples. */
  Evaluation evaluate() {
    Steps order =
        new Steps(
            new SampleOrder(SEED, test.size(), Shuffle.BY_INDEX), TEST_BATCH, EpochEnd.CIRCULAR);
    long steps = test.size() / TEST_BATCH;
    Evaluation all = Evaluation.NONE;
    try (Loader loader =
        new Loader(
            test,
            order,
            preparation(),
            new Plan(0, 1, Position.START, steps),
            LoaderOptions.DEFAULT.withThreads(1))) {
      while (loader.hasNext()) {
        Batch batch = loader.next();
        all = all.plus(network.evaluate(batch.images(), batch.labels(), batch.count()));
      }
    }
    return all;
  }

  @Override
  public void close() {
    network.close();
    arena.close();
  }
}
