package dev.tandem.bench.sync;

import dev.tandem.bench.JpegImages;
import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.augment.Augmentations;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.augment.RandomFlip;
import dev.tandem.data.augment.RandomResizedCrop;
import dev.tandem.data.decode.ImageFileDecoder;
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
import dev.tandem.nn.Network;
import dev.tandem.nn.Samples;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Window;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** What a rank trains: a real network of 18 layers with weights, and the inputs. For one thread. */
final class SyncWorkload implements AutoCloseable {

  private static final Seed SEED = new Seed(7);
  private static final int SIDE = 32;
  private static final int CLASSES = 10;
  private static final int IMAGES = 96;

  private static final double LEARNING_RATE = 0.01;

  private final Communicator communicator;

  /** Images of this rank per step. */
  private final int batch;

  private final Arena arena = Arena.ofShared();
  private final Network network;
  private final MemorySegment firstParameters;
  private final Map<SyncInput, JpegImages> images = new EnumMap<>(SyncInput.class);
  private final Samples fixed;
  private SgdMomentum optimizer;

  SyncWorkload(Communicator communicator, int batch) {
    this.communicator = communicator;
    this.batch = batch;
    network = Network.create(Engine.start(1), spec(), SEED.derive("parameters"));
    firstParameters = arena.allocate(network.parameterBuffer().byteSize(), 64);
    firstParameters.copyFrom(network.parameterBuffer());
    for (SyncInput input : SyncInput.values()) {
      if (input.threads() > 0) {
        images.put(input, new JpegImages(IMAGES, input.side(), SEED.derive(input.code())));
      }
    }
    fixed = fixedBatch();
    reset();
  }

  /** 17 convolutions and a classifier, each with weights and biases: 36 gradients, 0.9 MB. */
  static NetworkSpec spec() {
    NetworkBuilder builder = new NetworkBuilder(Shape.of(3, SIDE, SIDE));
    int[] channels = {16, 32, 64};
    for (int stage = 0; stage < channels.length; stage++) {
      for (int i = 0; i < (stage < 2 ? 6 : 5); i++) {
        String name = "stage%d.%d".formatted(stage, i);
        builder.add(new Convolution(name, channels[stage], 3, 1, 1));
        builder.add(Activation.relu(name + ".relu"));
      }
      builder.add(new MaxPool("pool" + stage, Window.of(2).withStride(2), false));
    }
    builder.add(GlobalPool.average("pool"));
    builder.add(new FullyConnected("classes", CLASSES));
    return builder.build();
  }

  private Samples fixedBatch() {
    int values = 3 * SIDE * SIDE * batch;
    MemorySegment inputs = arena.allocate((long) values * Float.BYTES, 64);
    MemorySegment labels = arena.allocate((long) batch * Long.BYTES, 64);
    SplittableRandom random = SEED.derive("batch").derive(communicator.rank()).random();
    for (int i = 0; i < values; i++) {
      inputs.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextDouble(-1, 1));
    }
    for (int i = 0; i < batch; i++) {
      labels.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextInt(CLASSES));
    }
    return new Samples(inputs, labels, batch);
  }

  Network network() {
    return network;
  }

  /** Back to the first parameters. */
  void reset() {
    if (optimizer != null) {
      optimizer.close();
    }
    network.parameterBuffer().copyFrom(firstParameters);
    optimizer =
        new SgdMomentum(network, new SgdMomentum.Settings(0.9, 0, false, Double.POSITIVE_INFINITY));
  }

  /** A number that distinguishes parameters. */
  long digest() {
    CRC32C digest = new CRC32C();
    digest.update(network.parameterBuffer().asByteBuffer());
    return digest.getValue();
  }

  /** The samples of one turn, from the beginning. */
  final class Feed implements AutoCloseable {

    private final Loader loader;

    Feed(SyncTurn turn, long steps) {
      loader = turn.input().threads() == 0 ? null : loader(turn, steps);
    }

    Samples next() {
      if (loader == null) {
        return fixed;
      }
      Batch loaded = loader.next();
      return new Samples(loaded.images(), loaded.labels(), loaded.count());
    }

    @Override
    public void close() {
      if (loader != null) {
        loader.close();
      }
    }
  }

  private Loader loader(SyncTurn turn, long steps) {
    SyncInput input = turn.input();
    Steps order =
        new Steps(
            new SampleOrder(SEED, IMAGES, Shuffle.BY_INDEX),
            batch * communicator.size(),
            EpochEnd.CIRCULAR);
    Preparation preparation =
        new Preparation(
            new ImageFileDecoder(
                false,
                record ->
                    Integer.parseInt(
                            new String(
                                record.key().toArray(ValueLayout.JAVA_BYTE),
                                StandardCharsets.US_ASCII))
                        % CLASSES),
            Augmentations.of(new RandomResizedCrop(SIDE, SIDE), new RandomFlip()),
            Normalisation.all(0.5, 0.25),
            new ImageFormat(3, SIDE, SIDE, CLASSES, 0.5, 0.25),
            SEED);
    return new Loader(
        images.get(input),
        order,
        preparation,
        new Plan(communicator.rank(), communicator.size(), Position.START, steps),
        // Little memory: a turn must not live on what was decoded before it began.
        LoaderOptions.DEFAULT
            .withThreads(input.threads())
            .withPrefetchBytes(1)
            .withVirtual(turn.sharesPool()));
  }

  /** What becomes of a gradient. */
  interface Sink {
    void ready(TensorView gradient);
  }

  /** Computes the gradients of a step; the sink is notified of each when it is there. */
  void gradients(Samples samples, long step, Sink sink) {
    network.forwardBackward(
        samples,
        TrainingStep.of(SEED, step)
            .withListener((shard, parameter, gradient) -> sink.ready(gradient)));
  }

  void update() {
    optimizer.step(LEARNING_RATE);
  }

  @Override
  public void close() {
    optimizer.close();
    network.close();
    arena.close();
    images.values().forEach(JpegImages::close);
  }
}
