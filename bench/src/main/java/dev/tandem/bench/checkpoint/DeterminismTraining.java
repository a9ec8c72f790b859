package dev.tandem.bench.checkpoint;

import dev.tandem.bench.checkpoint.CheckpointBenchmark.Model;
import dev.tandem.checkpoint.BackgroundCheckpoints;
import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.checkpoint.Retention;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.Samples;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.posix.DurableFiles;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.policy.SyncOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A network on random images, data-parallel over ranks with one thread each, whose gradients are
 * summed as a level of determinism promises. One thread; all ranks call the same methods.
 */
final class DeterminismTraining implements AutoCloseable {

  private static final Seed SEED = new Seed(4);
  private static final double LEARNING_RATE = 0.01;

  private final Arena arena = Arena.ofShared();
  private final Communicator ranks;
  private final Network network;
  private final SgdMomentum optimizer;
  private final Synchronizer synchronizer;
  private final BackgroundCheckpoints checkpoints;
  private final Samples samples;
  private final Map<String, byte[]> beginning = new HashMap<>();
  private long step;
  private long saves;

  DeterminismTraining(
      Communicator everyone, Model model, Determinism level, Path folder, int batch) {
    ranks = everyone.at(level);
    network = Network.create(Engine.start(1), model.spec(), SEED);
    optimizer =
        new SgdMomentum(
            network, new SgdMomentum.Settings(0.9, 1e-4, false, Double.POSITIVE_INFINITY));
    synchronizer =
        Synchronizer.over(ranks, SyncOptions.of("buckets"))
            .gradients(network.gradientBuffer(), network.gradients())
            .start();
    checkpoints =
        new BackgroundCheckpoints(
            everyone,
            List.of(
                new BackgroundCheckpoints.Level(
                    folder.resolve(level.code()),
                    1,
                    CheckpointOptions.DEFAULT.with(Retention.last(1)))),
            DurableFiles.system(),
            System.err::println,
            cost -> {});
    checkpoints.prepare(SlicedState.whole(state()));
    samples = samples(model.spec(), batch, everyone.rank());
    for (TensorView tensor : state().tensors().values()) {
      beginning.put(tensor.name(), tensor.data().toArray(ValueLayout.JAVA_BYTE));
    }
  }

  private StateTree state() {
    return optimizer.stateTree(Map.of());
  }

  private Samples samples(NetworkSpec spec, int batch, int rank) {
    SplittableRandom random = SEED.derive(rank).random();
    long elements = spec.input().elements() * batch;
    MemorySegment images = arena.allocate(elements * Float.BYTES, 64);
    for (long i = 0; i < elements; i++) {
      images.setAtIndex(ValueLayout.JAVA_FLOAT, i, random.nextFloat() - 0.5f);
    }
    MemorySegment labels = arena.allocate((long) batch * Long.BYTES, 64);
    for (int i = 0; i < batch; i++) {
      labels.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextInt(spec.classes()));
    }
    return new Samples(images, labels, batch);
  }

  /**
   * Steps after a save in the background, or without one, until the save is committed.
   *
   * @return the seconds of this rank: standing still, every step, and after the last
   */
  double[] turn(boolean save, int steps) {
    ranks.barrier();
    double[] seconds = new double[steps + 2];
    long last = System.nanoTime();
    if (save) {
      checkpoints.save(++saves, state());
    }
    for (int i = 0; i <= steps; i++) {
      long now = System.nanoTime();
      seconds[i] = (now - last) / 1e9;
      last = now;
      if (i < steps) {
        train();
      }
    }
    checkpoints.await();
    seconds[steps + 1] = (System.nanoTime() - last) / 1e9;
    return seconds;
  }

  private void train() {
    TrainingStep now = TrainingStep.of(SEED, step++);
    double loss =
        network.forwardBackward(
            samples,
            now.withListener((shard, parameter, gradient) -> synchronizer.submit(gradient, 1))
                .withMeanOver((long) samples.count() * ranks.size()));
    if (!Double.isFinite(loss)) {
      throw new IllegalStateException("the loss became " + loss);
    }
    synchronizer.await();
    optimizer.step(LEARNING_RATE);
  }

  /**
   * Trains from the beginning without saves, with a save half-way, and from that save on; whether
   * all three end with the same parameters, bit for bit, on all ranks.
   */
  boolean sameBits(int steps) {
    begin();
    train(steps);
    byte[] undisturbed = parameters();
    begin();
    train(steps / 2);
    checkpoints.save(++saves, state());
    train(steps - steps / 2);
    checkpoints.await();
    boolean same = Arrays.equals(undisturbed, parameters());
    begin();
    checkpoints.restore(saves, state());
    step = steps / 2;
    train(steps - steps / 2);
    same &= Arrays.equals(undisturbed, parameters());
    int[] all = {same ? 1 : 0};
    ranks.allreduce(MemorySegment.ofArray(all), DType.INT32, ReduceOp.MIN);
    return all[0] == 1;
  }

  private void begin() {
    for (TensorView tensor : state().tensors().values()) {
      tensor.data().copyFrom(MemorySegment.ofArray(beginning.get(tensor.name())));
    }
    step = 0;
  }

  private void train(int steps) {
    for (int i = 0; i < steps; i++) {
      train();
    }
  }

  private byte[] parameters() {
    return network.parameterBuffer().toArray(ValueLayout.JAVA_BYTE);
  }

  @Override
  public void close() {
    checkpoints.close();
    synchronizer.close();
    optimizer.close();
    network.close();
    arena.close();
  }
}
