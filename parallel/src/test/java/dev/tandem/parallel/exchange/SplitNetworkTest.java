package dev.tandem.parallel.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Evaluation;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkPart;
import dev.tandem.nn.OpenRun;
import dev.tandem.nn.Samples;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Exchange.Role;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.Movement;
import dev.tandem.nn.spec.Movement.Box;
import dev.tandem.nn.spec.Movement.Collective;
import dev.tandem.nn.spec.Movement.Operation;
import dev.tandem.nn.spec.Movement.Parcel;
import dev.tandem.nn.spec.Movement.Range;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Networks that are cut by hand compute what the whole one does. */
class SplitNetworkTest {

  private static final int RANKS = 2;
  private static final int BATCH = 5;
  private static final Shape INPUT = Shape.of(3, 6, 7);
  private static final Shape MIDDLE = Shape.of(4, 6, 7);
  private static final NetworkOptions EXACT = NetworkOptions.DEFAULT.withDtype(DType.FLOAT64);
  private static final NetworkSpec WHOLE =
      NetworkSpec.of(
          INPUT,
          new Convolution("conv1", 6, 3, 1, 1).withoutBias(),
          Activation.relu("relu1"),
          new Convolution("conv2", 4, 3, 1, 1).withoutBias(),
          Activation.relu("relu2"),
          new BatchNorm("norm"),
          GlobalPool.average("mean"),
          new FullyConnected("scores", 3));

  private final Engine engine = Engine.start(1);
  private final Seed seed = TestSeed.of(getClass());

  /** What a rank computed, by names of parameters and buffers. */
  private record Computed(double loss, Map<String, double[]> values, Evaluation evaluation) {}

  /** The first convolution by filters, the second by channels; what follows is on both ranks. */
  @ParameterizedTest
  @ValueSource(strings = {"", "scores", "norm,scores"})
  void sumsOverRanksAndActivationsOverThemInPlace(String frozen) throws Exception {
    NetworkOptions options =
        frozen.isEmpty() ? EXACT : EXACT.withFrozen(List.of(frozen.split(",")));
    Computed whole = compute(WHOLE, NetworkPart.all(WHOLE), options, false);
    List<Computed> parts =
        onRanks(
            (transfer, rank) -> {
              Map<String, Region> regions = new HashMap<>();
              NetworkSpec spec = filterThenChannel(rank, transfer, regions);
              return compute(
                  spec, new NetworkPart(WHOLE, regions, Optional.empty()), options, false);
            });
    for (int rank = 0; rank < RANKS; rank++) {
      Computed part = parts.get(rank);
      assertEquals(whole.loss, part.loss, 1e-12);
      assertEquals(whole.evaluation.lossSum(), part.evaluation.lossSum(), 1e-11);
      for (Map.Entry<String, double[]> values : part.values.entrySet()) {
        double[] all = whole.values.get(values.getKey());
        double[] expected =
            switch (values.getKey()) {
              case "conv1.weight" -> region(all, filters(rank));
              case "conv2.weight" -> region(all, channels(rank));
              default -> all;
            };
        assertArrayEquals(expected, values.getValue(), 1e-12, values.getKey());
      }
    }
  }

  /** Two stages: what lies between travels, and its gradient comes back. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void stagesReceiveAndSend(boolean recompute) throws Exception {
    Computed whole = compute(WHOLE, NetworkPart.all(WHOLE), EXACT, false);
    List<Computed> stages = onRanks((transfer, rank) -> stage(rank, transfer, EXACT, recompute));
    assertEquals(0, stages.getFirst().loss);
    assertEquals(whole.loss, stages.getLast().loss);
    assertEquals(0, stages.getFirst().evaluation.samples());
    assertEquals(whole.evaluation, stages.getLast().evaluation);
    int found = 0;
    for (Computed stage : stages) {
      for (Map.Entry<String, double[]> values : stage.values.entrySet()) {
        assertArrayEquals(whole.values.get(values.getKey()), values.getValue(), values.getKey());
        found++;
      }
    }
    assertEquals(whole.values.size(), found);
  }

  /** If nothing before the cut learns, no gradient comes back. */
  @Test
  void frozenStages() throws Exception {
    NetworkOptions options = EXACT.withFrozen(List.of("conv1"));
    Computed whole = compute(WHOLE, NetworkPart.all(WHOLE), options, false);
    List<Computed> stages = onRanks((transfer, rank) -> stage(rank, transfer, options, false));
    for (Map.Entry<String, double[]> values : stages.getLast().values.entrySet()) {
      assertArrayEquals(whole.values.get(values.getKey()), values.getValue(), values.getKey());
    }
  }

  private Computed stage(int rank, Transfer transfer, NetworkOptions options, boolean recompute) {
    boolean learns = options.frozen().isEmpty();
    List<NetworkSpec.Node> nodes =
        new ArrayList<>(WHOLE.nodes().subList(rank == 0 ? 0 : 2, rank == 0 ? 2 : 7));
    Shape between = WHOLE.shapes().get("relu1");
    Parcel there = parcel(1, between);
    Parcel back = parcel(0, between);
    if (rank == 0) {
      nodes.add(
          new NetworkSpec.Node(
              new Exchange(
                  "send",
                  Role.SEND,
                  between,
                  movement(Operation.COPY, Collective.EXCHANGE, List.of(there), List.of()),
                  movement(Operation.COPY, Collective.EXCHANGE, List.of(), List.of(there)),
                  transfer,
                  learns),
              List.of("relu1")));
    } else {
      nodes.addFirst(
          new NetworkSpec.Node(
              new Exchange(
                  "relu1",
                  Role.RECEIVE,
                  between,
                  movement(Operation.COPY, Collective.EXCHANGE, List.of(), List.of(back)),
                  movement(Operation.COPY, Collective.EXCHANGE, List.of(back), List.of()),
                  transfer,
                  learns),
              List.of()));
    }
    NetworkSpec spec =
        new NetworkSpec(INPUT, nodes, rank == 0 ? List.of() : WHOLE.outputs(), WHOLE.loss());
    return compute(spec, new NetworkPart(WHOLE, Map.of(), Optional.empty()), options, recompute);
  }

  private static NetworkSpec filterThenChannel(
      int rank, Transfer transfer, Map<String, Region> regions) {
    List<Parcel> all = List.of(parcel(0, MIDDLE), parcel(1, MIDDLE));
    Exchange sum =
        new Exchange(
            "sum",
            Role.WITHIN,
            MIDDLE,
            movement(Operation.ADD, Collective.ALLREDUCE, all, all),
            Movement.identity(SampleShare.ALL),
            transfer,
            true);
    NetworkSpec spec =
        NetworkSpec.of(
            INPUT,
            new Convolution("conv1", filters(rank).local().extents().getFirst().intValue(), 3, 1, 1)
                .withoutBias(),
            Activation.relu("relu1"),
            new Convolution("conv2", 4, 3, 1, 1).withoutBias(),
            sum,
            Activation.relu("relu2"),
            new BatchNorm("norm"),
            GlobalPool.average("mean"),
            new FullyConnected("scores", 3));
    regions.put("conv1.weight", filters(rank));
    regions.put("conv2.weight", channels(rank));
    return spec;
  }

  private static Ranges part(int rank) {
    return rank == 0 ? Ranges.of(6, 0, 4) : Ranges.of(6, 4, 6);
  }

  private static Region filters(int rank) {
    return new Region(List.of(part(rank), Ranges.all(3), Ranges.all(3), Ranges.all(3)));
  }

  private static Region channels(int rank) {
    return new Region(List.of(Ranges.all(4), part(rank), Ranges.all(3), Ranges.all(3)));
  }

  private static double[] region(double[] whole, Region region) {
    long[] extents = region.whole().toArray();
    List<Double> values = new ArrayList<>();
    Ranges.Run first = region.dimensions().get(0).runs().getFirst();
    Ranges.Run second = region.dimensions().get(1).runs().getFirst();
    int space = Math.toIntExact(extents[2] * extents[3]);
    for (long i = first.from(); i < first.to(); i++) {
      for (long j = second.from(); j < second.to(); j++) {
        for (int k = 0; k < space; k++) {
          values.add(whole[(int) ((i * extents[1] + j) * space) + k]);
        }
      }
    }
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private static Parcel parcel(int peer, Shape shape) {
    List<Range> all = shape.extents().stream().map(extent -> new Range(0, extent)).toList();
    return new Parcel(peer, List.of(new Box(SampleShare.ALL, all)));
  }

  private static Movement movement(
      Operation operation, Collective collective, List<Parcel> outgoing, List<Parcel> incoming) {
    return new Movement(
        operation, collective, 1, 0, SampleShare.ALL, SampleShare.ALL, outgoing, incoming);
  }

  private interface Work {
    Computed on(Transfer transfer, int rank) throws Exception;
  }

  private static List<Computed> onRanks(Work work) throws Exception {
    List<FutureTask<Computed>> tasks = new ArrayList<>();
    for (Communicator communicator : Communicator.threads(RANKS)) {
      tasks.add(
          new FutureTask<>(
              () -> {
                try (communicator) {
                  GroupTransfer transfer = new GroupTransfer(RANKS, communicator.rank());
                  transfer.over(communicator);
                  return work.on(transfer, communicator.rank());
                }
              }));
    }
    tasks.forEach(task -> Thread.ofPlatform().daemon().start(task));
    return Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          List<Computed> results = new ArrayList<>();
          for (FutureTask<Computed> task : tasks) {
            results.add(task.get());
          }
          return results;
        });
  }

  /** Two steps without an update between them, then an evaluation. */
  private Computed compute(
      NetworkSpec spec, NetworkPart part, NetworkOptions options, boolean recompute) {
    try (Arena arena = Arena.ofConfined();
        Network network = Network.create(engine, spec, seed, options, part)) {
      SplittableRandom random = seed.random();
      MemorySegment inputs = arena.allocate(BATCH * INPUT.elements() * Double.BYTES, 64);
      MemorySegment labels = arena.allocate((long) BATCH * Long.BYTES, 64);
      for (long i = 0; i < BATCH * INPUT.elements(); i++) {
        inputs.setAtIndex(ValueLayout.JAVA_DOUBLE, i, random.nextDouble() - 0.5);
      }
      for (int i = 0; i < BATCH; i++) {
        labels.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextInt(3));
      }
      Samples samples = new Samples(inputs, labels, BATCH);
      TrainingStep step = TrainingStep.of(seed, 0);
      double loss = 0;
      for (int i = 0; i < 2; i++) {
        try (OpenRun run =
            recompute ? network.beginRecomputing(samples, step) : network.begin(samples, step)) {
          run.forward();
          loss += run.losses()[0];
          run.backward();
        }
        step = step.accumulating();
      }
      Map<String, double[]> values = new HashMap<>();
      for (TensorView view : network.gradients()) {
        values.put(view.name(), view.data().toArray(ValueLayout.JAVA_DOUBLE));
      }
      for (TensorView view : network.buffers()) {
        values.put(view.name(), view.data().toArray(ValueLayout.JAVA_DOUBLE));
      }
      return new Computed(loss, values, network.evaluate(samples));
    }
  }
}
