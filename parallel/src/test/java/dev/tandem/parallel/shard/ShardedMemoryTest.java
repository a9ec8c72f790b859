package dev.tandem.parallel.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.Allgather;
import dev.tandem.comm.collective.Allreduce;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.comm.collective.ReduceScatter;
import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.transport.ThreadsTransport;
import dev.tandem.comm.transport.Traffic;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Adam;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkPart;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.Samples;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.models.LeNet;
import dev.tandem.nn.models.TransformerEncoder;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows of parameters, gradients and optimizer state against copies of all, with equal bits. */
class ShardedMemoryTest {

  private static final int STEPS = 20;
  private static final NetworkOptions OPTIONS = NetworkOptions.DEFAULT;

  private static NetworkSpec residual() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(3, 8, 8));
    network.add(new Convolution("conv1", 7, 3, 1, 1).withoutBias());
    network.add(new BatchNorm("bn1"));
    network.add(Activation.relu("relu1"));
    String shortcut = network.add(new Convolution("shortcut", 10, 1, 2, 0));
    network.add(new Convolution("conv2", 10, 3, 2, 1).withoutBias(), "relu1");
    String end = network.add(new BatchNorm("bn2"));
    network.add(new Add("add"), end, shortcut);
    network.add(Activation.relu("relu2"));
    network.add(GlobalPool.average("pool"));
    network.add(new FullyConnected("fc", 3)); // fewer rows than ranks
    return network.build();
  }

  private static NetworkSpec transformer() {
    return TransformerEncoder.spec(Shape.of(3, 8, 8), 4, 6, 2, 2, 5);
  }

  private interface Program {
    void run(Communicator communicator) throws Exception;
  }

  private static void onAll(int size, Program program) throws Exception {
    onAll(Communicator.threads(size), program);
  }

  private static void onAll(List<Communicator> all, Program program) throws Exception {
    List<FutureTask<Void>> ranks = new ArrayList<>();
    for (Communicator communicator : all) {
      FutureTask<Void> rank =
          new FutureTask<>(
              () -> {
                try (communicator) {
                  program.run(communicator.at(Determinism.RUN));
                }
                return null;
              });
      Thread.ofPlatform().daemon().start(rank);
      ranks.add(rank);
    }
    Watchdog.within(
        Duration.ofMinutes(2),
        () -> {
          for (FutureTask<Void> rank : ranks) {
            rank.get();
          }
          return null;
        });
  }

  @ParameterizedTest
  @EnumSource
  void trainingHasTheBitsOfRanksThatKeepEverything(ShardStage stage) throws Exception {
    SplittableRandom random = TestSeed.of(getClass()).random();
    Function<Network, Optimizer> momentum =
        network ->
            new SgdMomentum(
                network, new SgdMomentum.Settings(0.9, 1e-3, true, Double.POSITIVE_INFINITY));
    Function<Network, Optimizer> adam =
        network -> new Adam(network, new Adam.Settings(0.9, 0.999, 1e-8, 1e-2, true));
    compare(stage, 2, LeNet.spec(10), momentum, 2, random.nextLong());
    compare(stage, 3, residual(), adam, STEPS, random.nextLong());
    compare(stage, 4, transformer(), momentum, STEPS, random.nextLong());
  }

  private static void compare(
      ShardStage stage,
      int ranks,
      NetworkSpec spec,
      Function<Network, Optimizer> optimizers,
      int steps,
      long seed)
      throws Exception {
    onAll(
        ranks,
        communicator -> {
          ShardedMemory memory =
              new ShardedMemory(
                  Engine.start(1), spec, DType.FLOAT32, stage, communicator, Map.of());
          try (Network whole = network(spec, Optional.empty());
              Network sharded = network(spec, Optional.of(memory));
              Optimizer wholeOptimizer = optimizers.apply(whole);
              Optimizer optimizer = optimizers.apply(sharded)) {
            assertRows(whole.parameters(), memory, sharded.updatedParameters(), 0);
            SplittableRandom random = new SplittableRandom(seed);
            for (int step = 0; step < steps; step++) {
              // One rank may have no samples.
              int without = random.nextInt(3 * ranks);
              int count = without == communicator.rank() ? 0 : 1 + step % 3;
              SplittableRandom own = random.split();
              for (int other = 0; other < communicator.rank(); other++) {
                own = own.split();
              }
              try (Arena arena = Arena.ofConfined()) {
                Optional<Samples> samples =
                    count == 0 ? Optional.empty() : Optional.of(samples(arena, spec, count, own));
                TrainingStep training = TrainingStep.of(new Seed(seed), step).withMeanOver(10);
                double expected = sumWhole(communicator, whole, samples, training);
                double actual = step(communicator, memory, sharded, samples, training);
                assertEquals(expected, actual, "loss of step " + step);
              }
              wholeOptimizer.step(0.01);
              optimizer.step(0.01);
            }
            assertRows(whole.parameters(), memory, sharded.updatedParameters(), steps);
            List<TensorView> slots = wholeOptimizer.state();
            int parameters = spec.parameters().size();
            for (int i = 0; i + parameters < slots.size(); i += parameters) {
              assertRows(
                  slots.subList(i, i + parameters),
                  memory,
                  optimizer.state().subList(i, i + parameters),
                  steps);
            }
            assertBuffers(whole, sharded);
            assertEvaluations(spec, whole, sharded, communicator.rank());
          }
        });
  }

  private static Network network(NetworkSpec spec, Optional<ShardedMemory> memory) {
    return Network.create(
        Engine.start(1),
        spec,
        new Seed(3),
        OPTIONS,
        NetworkPart.all(spec),
        memory.map(each -> each));
  }

  private static Samples samples(
      Arena arena, NetworkSpec spec, int count, SplittableRandom random) {
    long elements = spec.input().elements() * count;
    MemorySegment inputs = arena.allocate(elements * Float.BYTES, 64);
    for (long i = 0; i < elements; i++) {
      inputs.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextDouble(-1, 1));
    }
    MemorySegment labels = arena.allocate(ValueLayout.JAVA_LONG, count);
    for (int i = 0; i < count; i++) {
      labels.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextInt(spec.classes()));
    }
    return new Samples(inputs, labels, count);
  }

  private static double sumWhole(
      Communicator communicator, Network network, Optional<Samples> samples, TrainingStep step) {
    double loss = 0;
    if (samples.isPresent()) {
      loss = network.forwardBackward(samples.get(), step);
    } else {
      network.gradientBuffer().fill((byte) 0);
    }
    for (TensorView gradient : network.gradients()) {
      communicator.allreduce(gradient.data(), DType.FLOAT32, ReduceOp.SUM);
    }
    return loss;
  }

  private static double step(
      Communicator communicator,
      ShardedMemory memory,
      Network network,
      Optional<Samples> samples,
      TrainingStep step) {
    boolean scattered = memory.stage() != ShardStage.OPTIMIZER;
    TrainingStep listened =
        step.withListener(
            (_, parameter, _) -> {
              if (scattered) {
                memory.reduceGradient(parameter);
              }
            });
    double loss = 0;
    if (samples.isPresent()) {
      loss = network.forwardBackward(samples.get(), listened);
    } else {
      network.forwardBackwardNothing(listened);
    }
    if (scattered) {
      memory.awaitGradients();
    } else {
      for (TensorView gradient : network.gradients()) {
        communicator.allreduce(gradient.data(), DType.FLOAT32, ReduceOp.SUM);
      }
    }
    return loss;
  }

  private static void assertRows(
      List<TensorView> whole, ShardedMemory memory, List<TensorView> rows, int step) {
    for (int i = 0; i < whole.size(); i++) {
      TensorView all = whole.get(i);
      long rowBytes = all.byteSize() / all.shape().extents().getFirst();
      MemorySegment expected =
          all.data()
              .asSlice(
                  memory.firstRow(i) * rowBytes,
                  (memory.endRow(i) - memory.firstRow(i)) * rowBytes);
      assertEquals(
          -1,
          expected.mismatch(rows.get(i).data()),
          "%s after step %d".formatted(rows.get(i).name(), step));
    }
  }

  private static void assertBuffers(Network whole, Network sharded) {
    for (int i = 0; i < whole.buffers().size(); i++) {
      TensorView expected = whole.buffers().get(i);
      assertEquals(-1, expected.data().mismatch(sharded.buffers().get(i).data()), expected.name());
    }
  }

  /** Rank 0 has no samples. */
  private static void assertEvaluations(
      NetworkSpec spec, Network whole, Network sharded, int rank) {
    try (Arena arena = Arena.ofConfined()) {
      if (rank == 0) {
        sharded.evaluateNothing();
      } else {
        Samples samples = samples(arena, spec, rank, new SplittableRandom(rank));
        assertEquals(whole.evaluate(samples), sharded.evaluate(samples));
      }
    }
  }

  /** Per step, in units of the elements of all parameters: 3, 2 and 3 times (p - 1) / p. */
  @ParameterizedTest
  @EnumSource
  void sentBytesAreThoseOfTheFormula(ShardStage stage) throws Exception {
    for (boolean sharedMemory : List.of(true, false)) {
      NetworkSpec spec = residual();
      onAll(
          ThreadsTransport.create(4, sharedMemory).stream().map(Communicator::over).toList(),
          communicator -> assertTraffic(communicator, spec, stage));
    }
  }

  private static void assertTraffic(Communicator communicator, NetworkSpec spec, ShardStage stage) {
    ShardedMemory memory =
        new ShardedMemory(Engine.start(1), spec, DType.FLOAT32, stage, communicator, Map.of());
    try (Network network = network(spec, Optional.of(memory));
        Optimizer optimizer =
            new SgdMomentum(
                network, new SgdMomentum.Settings(0.9, 0, false, Double.POSITIVE_INFINITY));
        Arena arena = Arena.ofConfined()) {
      Samples samples = samples(arena, spec, 2, new SplittableRandom(1));
      Traffic before = communicator.traffic();
      step(communicator, memory, network, Optional.of(samples), TrainingStep.of(new Seed(1), 0));
      optimizer.step(0.1);
      long sent = communicator.traffic().since(before).bytesSent();
      TeamPosition position = communicator.position();
      long expected = 0;
      for (ParameterSpec parameter : spec.parameters()) {
        long[] lengths = new RowCut(parameter.shape(), DType.FLOAT32, 4).lengths();
        long bytes = parameter.shape().elements() * Float.BYTES;
        long allgather = Allgather.cost(position, lengths).bytesSent();
        long scatter = ReduceScatter.cost(position, lengths).bytesSent();
        expected +=
            switch (stage) {
              case OPTIMIZER ->
                  Allreduce.cost(position, bytes, DType.FLOAT32).bytesSent() + allgather;
              case GRADIENTS -> scatter + allgather;
              case PARAMETERS -> 2 * allgather + scatter;
            };
      }
      assertEquals(expected, sent, stage + " on rank " + communicator.rank());
    }
  }

  @Test
  void aRankKeepsItsShare() throws Exception {
    NetworkSpec spec = LeNet.spec(10);
    long whole = spec.parameterCount() * Float.BYTES;
    long largest = 500 * 800 * Float.BYTES + 500 * Float.BYTES;
    onAll(
        4,
        communicator -> {
          assertBytes(spec, ShardStage.OPTIMIZER, communicator, 2 * whole);
          // The largest layer, the larger of its neighbours, and a quarter.
          long windows = largest + 20 * 25 * 50 * Float.BYTES;
          assertBytes(spec, ShardStage.GRADIENTS, communicator, whole + whole / 4 + windows);
          assertBytes(spec, ShardStage.PARAMETERS, communicator, whole / 2 + 2 * windows);
        });
  }

  private static void assertBytes(
      NetworkSpec spec, ShardStage stage, Communicator communicator, long expected) {
    ShardedMemory memory =
        new ShardedMemory(Engine.start(1), spec, DType.FLOAT32, stage, communicator, Map.of());
    try (Network network = network(spec, Optional.of(memory));
        Optimizer optimizer = new Adam(network, new Adam.Settings(0.9, 0.999, 1e-8, 1e-2, true))) {
      assertEquals(
          (double) expected, (double) memory.bytes(), 0.01 * (double) expected, stage.toString());
      double state = (double) optimizer.state().stream().mapToLong(TensorView::byteSize).sum();
      double whole = 2 * (double) (spec.parameterCount() * Float.BYTES);
      assertEquals(whole / communicator.size(), state, 0.01 * whole);
    }
  }
}
