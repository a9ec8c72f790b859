package dev.tandem.bench.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Engine;
import dev.tandem.nn.GradientListener;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkOptions.Precision;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.Samples;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.TrainingStep;
import dev.tandem.posix.FileErrors;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.policy.SyncOptions;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** A network that trains on one batch, the same in every rank. */
final class Training implements AutoCloseable {

  private static final Seed SEED = new Seed(6);
  private static final double LEARNING_RATE = 0.001;
  private static final SgdMomentum.Settings SETTINGS =
      new SgdMomentum.Settings(0.9, 0, false, Double.POSITIVE_INFINITY);

  /** Fixed buckets, as the peer has them, reduced where they lie. */
  private static final String POLICY = "buckets";

  private final TrainNetwork kind;
  private final Arena arena = Arena.ofShared();
  private final Network network;
  private final Optimizer optimizer;
  private final Optional<Synchronizer> synchronizer;
  private final int ranks;
  private final Samples samples;
  private long steps;

  Training(Communicator communicator, TrainNetwork kind, int batch, boolean mixed, int threads) {
    this.kind = kind;
    NetworkOptions options =
        NetworkOptions.DEFAULT.withPrecision(mixed ? Precision.MIXED : Precision.FULL);
    network = Network.create(Engine.start(threads), kind.spec(), SEED, options);
    optimizer = new SgdMomentum(network, SETTINGS);
    ranks = communicator.size();
    synchronizer =
        communicator.size() == 1
            ? Optional.empty()
            : Optional.of(
                Synchronizer.over(communicator, SyncOptions.of(POLICY))
                    .gradients(network.gradientBuffer(), network.gradients())
                    .start());
    samples = samples(batch);
  }

  private Samples samples(int batch) {
    SplittableRandom random = SEED.derive("samples").random();
    long elements = kind.spec().input().elements() * batch;
    MemorySegment inputs = arena.allocate(elements * Float.BYTES, 64);
    for (long i = 0; i < elements; i++) {
      inputs.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) (2 * random.nextDouble() - 1));
    }
    MemorySegment labels = arena.allocate((long) batch * Long.BYTES, 64);
    for (long i = 0; i < batch; i++) {
      labels.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextInt(kind.spec().classes()));
    }
    return new Samples(inputs, labels, batch);
  }

  /** Writes the present weights and the batch for the peers, in the machine's byte order. */
  void write(Path folder) {
    List<MemorySegment> weights = network.parameters().stream().map(TensorView::data).toList();
    write(folder.resolve(kind.code() + ".parameters"), weights);
    write(folder.resolve(kind.code() + ".inputs"), List.of(samples.inputs()));
    write(folder.resolve(kind.code() + ".labels"), List.of(samples.targets()));
  }

  private static void write(Path file, List<MemorySegment> parts) {
    try (OutputStream stream = new BufferedOutputStream(Files.newOutputStream(file))) {
      for (MemorySegment part : parts) {
        stream.write(part.toArray(ValueLayout.JAVA_BYTE));
      }
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
  }

  /** One step with its update, on the whole batch; gives the loss. */
  double step(boolean synchronised) {
    return step(synchronised, samples);
  }

  /**
   * The same on the first samples of the batch.
   *
   * @param synchronised whether ranks add up their gradients
   */
  void step(boolean synchronised, int count) {
    long elements = kind.spec().input().elements() * count;
    step(
        synchronised,
        new Samples(
            samples.inputs().asSlice(0, elements * Float.BYTES),
            samples.targets().asSlice(0, (long) count * Long.BYTES),
            count));
  }

  private double step(boolean synchronised, Samples batch) {
    TrainingStep step = TrainingStep.of(SEED, steps++);
    double loss;
    if (synchronised && synchronizer.isPresent()) {
      Synchronizer sync = synchronizer.get();
      // Each gradient is on its way while the backward pass goes on, as its part of the mean.
      GradientListener submit = (shard, parameter, gradient) -> sync.submit(gradient, 1);
      long samplesOfAll = (long) batch.count() * ranks;
      loss = network.forwardBackward(batch, step.withListener(submit).withMeanOver(samplesOfAll));
      sync.await();
    } else {
      loss = network.forwardBackward(batch, step);
    }
    optimizer.step(LEARNING_RATE);
    return loss;
  }

  @Override
  public void close() {
    synchronizer.ifPresent(Synchronizer::close);
    optimizer.close();
    network.close();
    arena.close();
  }
}
