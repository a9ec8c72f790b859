package dev.tandem.bench.read;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.RecordSource;
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
import dev.tandem.data.read.LmdbSources;
import dev.tandem.data.read.LoadRequest;
import dev.tandem.data.read.mode.CachePolicy;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.nn.Engine;
import dev.tandem.nn.GradientListener;
import dev.tandem.nn.Network;
import dev.tandem.nn.Samples;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.models.DigitsNetwork;
import dev.tandem.sync.BlockingSynchronizer;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * One rank that trains the demo's network on records that a read mode brings, and times the parts
 * of every step. A barrier before each sum of gradients separates waiting for others (skew) from
 * the sum itself.
 *
 * <p>Arguments: database, mode, steps, threads of the engine. Prints one line of {@code name=value}
 * for the process that started it.
 */
public final class TrainReadRank {

  private static final Seed SEED = new Seed(1);

  /** Parts of a step, in their order. */
  enum Part {
    READ,
    FORWARD,
    BACKWARD,
    SKEW,
    SYNC,
    UPDATE;

    /** As in results. */
    String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Communicator communicator;
  private final Network network;
  private final SgdMomentum optimizer;
  private final BlockingSynchronizer synchronizer;
  private final TensorView gradients;
  private final Map<Part, Long> nanos = new EnumMap<>(Part.class);
  private long mark;

  private TrainReadRank(Communicator communicator, Network network, SgdMomentum optimizer) {
    this.communicator = communicator;
    this.network = network;
    this.optimizer = optimizer;
    this.synchronizer = new BlockingSynchronizer(communicator);
    this.gradients =
        new TensorView(
            "gradients",
            DType.FLOAT32,
            Shape.of(network.gradientBuffer().byteSize() / Float.BYTES),
            network.gradientBuffer());
  }

  /** See the class. */
  public static void main(String[] arguments) {
    Reduction.prepare();
    Path database = Path.of(arguments[0]);
    ReadMode mode = ReadMode.of(arguments[1]);
    long steps = Long.parseLong(arguments[2]);
    int threads = Integer.parseInt(arguments[3]);
    try (Communicator communicator = Communicator.join();
        Network network =
            Network.create(Engine.start(threads), DigitsNetwork.spec(), SEED.derive("parameters"));
        SgdMomentum optimizer = new SgdMomentum(network, DigitsNetwork.optimizer())) {
      new TrainReadRank(communicator, network, optimizer).run(database, mode, steps);
    }
  }

  private void run(Path database, ReadMode mode, long count) {
    Plan plan = new Plan(communicator.rank(), communicator.size(), Position.START, count);
    ImageFormat format =
        new ImageFormat(
            1,
            Glyph.SIDE,
            Glyph.SIDE,
            Glyph.CLASSES,
            DigitsNetwork.PIXEL_MEAN,
            DigitsNetwork.PIXEL_DEVIATION);
    communicator.barrier();
    long began = System.nanoTime();
    LoadRequest request = new LoadRequest(mode, CachePolicy.NONE, Locate.AUTO, Shuffle.NONE, 1);
    try (RecordSource source = LmdbSources.open(database, request, communicator, line -> {});
        Loader loader =
            new Loader(
                source,
                new Steps(
                    new SampleOrder(SEED, source.size(), Shuffle.NONE),
                    DigitsNetwork.GLOBAL_BATCH,
                    EpochEnd.CIRCULAR),
                Preparation.plain(format),
                plan,
                LoaderOptions.DEFAULT.withThreads(1))) {
      mark = began;
      step(loader.next());
      double first = nanos.get(Part.READ) / 1e9;
      // The first step is the start of everything; the others are the same again and again.
      nanos.clear();
      double loss = 0;
      while (loader.hasNext()) {
        loss = step(loader.next());
      }
      double seconds = (System.nanoTime() - began) / 1e9;
      print(count, seconds, first, loss, mode == ReadMode.AUTO ? ReadMode.PROV : mode);
    }
  }

  /** Everything that happens since the last mark is this part. */
  private void timed(Part part) {
    long now = System.nanoTime();
    nanos.merge(part, now - mark, Long::sum);
    mark = now;
  }

  private double step(Batch batch) {
    timed(Part.READ);
    double loss =
        network.forwardBackward(
            new Samples(batch.images(), batch.labels(), batch.count()),
            TrainingStep.of(new Seed(0), 0).withListener(new ForwardClock()));
    timed(Part.BACKWARD);
    communicator.barrier();
    timed(Part.SKEW);
    synchronizer.submit(gradients, (float) batch.weight());
    synchronizer.await();
    timed(Part.SYNC);
    optimizer.step(DigitsNetwork.learningRate(1).peak());
    timed(Part.UPDATE);
    return loss;
  }

  /** Tells the forward pass from the backward pass. */
  private final class ForwardClock implements GradientListener {

    @Override
    public void ready(int shard, int parameter, TensorView gradient) {}

    @Override
    public void backwardBegins() {
      timed(Part.FORWARD);
    }
  }

  private void print(long steps, double seconds, double first, double loss, ReadMode mode) {
    CRC32C digest = new CRC32C();
    digest.update(network.parameterBuffer().asByteBuffer());
    StringBuilder line = new StringBuilder(TrainReadBenchmark.MARK);
    line.append(
        String.format(
            Locale.ROOT,
            " steps=%d seconds=%.6f first=%.6f loss=%.6f digest=%08x mode=%s",
            steps,
            seconds,
            first,
            loss,
            digest.getValue(),
            mode.code()));
    for (Part part : Part.values()) {
      double milliseconds = nanos.getOrDefault(part, 0L) / 1e6 / Math.max(1, steps - 1);
      line.append(String.format(Locale.ROOT, " %s=%.4f", part.code(), milliseconds));
    }
    System.out.println(line);
  }
}
