package dev.tandem.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Engine;
import dev.tandem.nn.LayerObserver;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkPart;
import dev.tandem.nn.Samples;
import dev.tandem.nn.StatisticsReducer;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LossKind;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.parallel.LocalNetwork.LocalTensor;
import dev.tandem.parallel.exchange.MeshGroups;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.strategy.Strategy;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;

/**
 * Steps of plain gradient descent in float64 or float32, by one network and by the ranks of a mesh
 * as threads; everything that both compute is compared.
 */
final class SplitNetworks {

  static final double RATE = 0.05;

  /** The samples of a step. */
  private static final class Batch {
    private final int count;
    private final double[] inputs;
    private final long[] labels;
    private final double[] values;

    Batch(NetworkSpec network, SplittableRandom random, int count) {
      this.count = count;
      int classes = network.classes();
      inputs = random.doubles(network.input().elements() * count, -1, 1).toArray();
      labels = random.longs(count, 0, classes).toArray();
      values = random.doubles((long) count * classes).toArray();
    }
  }

  /** What a network computed: by layer outputs and gradients of the first step; then the rest. */
  private static final class Computed {
    private final Map<String, double[]> outputs = new HashMap<>();
    private final Map<String, double[]> gradients = new HashMap<>();
    private final Map<String, double[]> weightGradients = new HashMap<>();
    private final Map<String, double[]> parameters = new HashMap<>();
    private final Map<String, double[]> buffers = new HashMap<>();
    private double[] answers = new double[0];

    Computed answering(double[] values) {
      answers = values;
      return this;
    }
  }

  private final Engine engine = Engine.start(1);
  private final NetworkSpec network;
  private final DType type;
  private final Seed seed;
  private final List<Batch> batches = new ArrayList<>();
  private final Computed whole;

  SplitNetworks(NetworkSpec network, Seed seed, int samples, int steps) {
    this(network, DType.FLOAT64, seed, samples, steps);
  }

  SplitNetworks(NetworkSpec network, DType type, Seed seed, int samples, int steps) {
    this.network = network;
    this.type = type;
    this.seed = seed;
    SplittableRandom random = seed.derive("batches").random();
    for (int i = 0; i < steps; i++) {
      batches.add(new Batch(network, random, samples));
    }
    whole = serial();
  }

  private NetworkOptions options() {
    return NetworkOptions.DEFAULT.withDtype(type);
  }

  /** Collects what layers compute. */
  private record Observer(Computed computed) implements LayerObserver {

    @Override
    public void output(int shard, TensorView values) {
      computed.outputs.put(values.name(), doubles(values));
    }

    @Override
    public void gradient(int shard, TensorView values) {
      computed.gradients.put(values.name(), doubles(values));
    }
  }

  static double[] doubles(TensorView view) {
    double[] values = new double[Math.toIntExact(view.shape().elements())];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(view.data(), view.dtype(), i);
    }
    return values;
  }

  private static double value(MemorySegment memory, DType type, long place) {
    return type == DType.FLOAT64
        ? memory.getAtIndex(ValueLayout.JAVA_DOUBLE, place)
        : memory.getAtIndex(ValueLayout.JAVA_FLOAT, place);
  }

  private static void put(MemorySegment memory, DType type, long place, double value) {
    if (type == DType.FLOAT64) {
      memory.setAtIndex(ValueLayout.JAVA_DOUBLE, place, value);
    } else {
      memory.setAtIndex(ValueLayout.JAVA_FLOAT, place, (float) value);
    }
  }

  private Computed serial() {
    Computed computed = new Computed();
    try (Arena arena = Arena.ofConfined();
        Network serial = Network.create(engine, network, seed, options())) {
      withoutZeros(serial);
      for (int i = 0; i < batches.size(); i++) {
        Batch batch = batches.get(i);
        TrainingStep step = TrainingStep.of(seed, i).withStatistics(StatisticsReducer.LOCAL);
        serial.forwardBackward(
            new Samples(
                memory(arena, batch.inputs), targets(arena, batch, 0, batch.count), batch.count),
            i == 0 ? step.withObserver(new Observer(computed)) : step);
        if (i == 0) {
          serial
              .gradients()
              .forEach(view -> computed.weightGradients.put(view.name(), doubles(view)));
        }
        descend(serial);
      }
      serial.parameters().forEach(view -> computed.parameters.put(view.name(), doubles(view)));
      serial.buffers().forEach(view -> computed.buffers.put(view.name(), doubles(view)));
      Batch first = batches.getFirst();
      TensorView answers = answers(arena, first.count);
      serial.predict(memory(arena, first.inputs), first.count, answers.data());
      return computed.answering(doubles(answers));
    }
  }

  private TensorView answers(Arena arena, int count) {
    Shape shape = Shape.of(count, network.classes());
    return new TensorView(
        "answers", type, shape, arena.allocate(shape.elements() * type.bytes(), 64));
  }

  /** A bias of 0 would stay near it, and a maximum of zeros and such numbers go by the last bit. */
  private static void withoutZeros(Network network) {
    for (TensorView parameter : network.parameters()) {
      for (long k = 0; k < parameter.shape().elements(); k++) {
        if (value(parameter.data(), parameter.dtype(), k) == 0) {
          put(parameter.data(), parameter.dtype(), k, 0.01);
        }
      }
    }
  }

  private static void descend(Network network) {
    for (int i = 0; i < network.parameters().size(); i++) {
      TensorView parameter = network.parameters().get(i);
      DType type = parameter.dtype();
      MemorySegment gradient = network.gradients().get(i).data();
      for (long k = 0; k < parameter.shape().elements(); k++) {
        double slope = value(gradient, type, k);
        put(parameter.data(), type, k, value(parameter.data(), type, k) - RATE * slope);
      }
    }
  }

  private MemorySegment memory(Arena arena, double... values) {
    long bytes = (long) type.bytes() * values.length;
    MemorySegment memory = arena.allocate(Math.max(64, bytes), 64);
    for (int i = 0; i < values.length; i++) {
      put(memory, type, i, values[i]);
    }
    return memory;
  }

  private MemorySegment targets(Arena arena, Batch batch, int from, int count) {
    if (network.loss() == LossKind.SOFTMAX_CROSS_ENTROPY) {
      MemorySegment memory = arena.allocate(8L * count, 64);
      MemorySegment.copy(batch.labels, from, memory, ValueLayout.JAVA_LONG, 0, count);
      return memory;
    }
    int classes = network.classes();
    return memory(
        arena, Arrays.copyOfRange(batch.values, from * classes, (from + count) * classes));
  }

  /** The same by the ranks of a mesh; fails where they differ by more than a tolerance. */
  void check(Mesh mesh, Strategy strategy, double first, double last) throws Exception {
    List<FutureTask<List<String>>> work = new ArrayList<>();
    for (Communicator communicator : Communicator.threads(mesh.size())) {
      work.add(new FutureTask<>(() -> rank(communicator, mesh, strategy, first, last)));
    }
    work.forEach(task -> Thread.ofPlatform().daemon().start(task));
    List<String> wrong =
        Watchdog.within(
            Duration.ofMinutes(3),
            () -> {
              List<String> all = new ArrayList<>();
              for (FutureTask<List<String>> task : work) {
                all.addAll(task.get());
              }
              return all;
            });
    assertEquals(List.of(), wrong.subList(0, Math.min(6, wrong.size())), mesh + " " + strategy);
  }

  private List<String> rank(
      Communicator communicator, Mesh mesh, Strategy strategy, double first, double last) {
    int rank = communicator.rank();
    Computed computed = new Computed();
    Map<String, double[]> firstGradients = computed.weightGradients;
    try (Arena arena = Arena.ofConfined();
        MeshGroups groups = new MeshGroups(communicator, mesh)) {
      LocalNetwork local = Planner.plan(network, mesh, strategy, rank, groups::transfer);
      local.sums().values().forEach(axes -> groups.need(MeshGroups.Use.GRADIENTS, withData(axes)));
      groups.form();
      int places = mesh.size(Mesh.DATA);
      int place = mesh.coordinate(rank, Mesh.DATA);
      try (Network own =
          Network.create(
              engine,
              local.spec(),
              seed,
              options(),
              new NetworkPart(network, local.regions(), Optional.empty(), local.inputSamples()))) {
        withoutZeros(own);
        for (int i = 0; i < batches.size(); i++) {
          Batch batch = batches.get(i);
          int from = batch.count * place / places;
          int count = batch.count * (place + 1) / places - from;
          TrainingStep step =
              TrainingStep.of(seed, i).withMeanOver(batch.count).withFirstSample(from);
          own.forwardBackward(
              samples(arena, local, batch, from, count),
              i == 0 ? step.withObserver(new Observer(computed)) : step);
          for (TensorView gradient : own.gradients()) {
            Set<String> axes = withData(local.sums().get(gradient.name()));
            Communicator group = groups.along(MeshGroups.Use.GRADIENTS, axes);
            if (group.size() > 1) {
              group.allreduce(gradient.data(), type, ReduceOp.SUM);
            }
            if (i == 0) {
              firstGradients.put(gradient.name(), doubles(gradient));
            }
          }
          descend(own);
        }
        own.parameters().forEach(view -> computed.parameters.put(view.name(), doubles(view)));
        own.buffers().forEach(view -> computed.buffers.put(view.name(), doubles(view)));
        Batch batch = batches.getFirst();
        int from = batch.count * place / places;
        int count = batch.count * (place + 1) / places - from;
        TensorView answers = answers(arena, count);
        own.predict(samples(arena, local, batch, from, count).inputs(), count, answers.data());
        return compare(local, computed.answering(doubles(answers)), rank, from, count, first, last);
      }
    }
  }

  private static Set<String> withData(Set<String> axes) {
    Set<String> all = new HashSet<>(axes);
    all.add(Mesh.DATA);
    return all;
  }

  private Samples samples(Arena arena, LocalNetwork local, Batch batch, int from, int count) {
    SampleShare share = local.inputSamples();
    int own = Math.toIntExact(share.count(count));
    int begin = from + Math.toIntExact(share.from(count));
    double[] inputs = part(batch.inputs, network.input().elements(), local.input(), begin, own);
    return new Samples(memory(arena, inputs), targets(arena, batch, from, count), count);
  }

  /** A region of each of some samples. */
  static double[] part(double[] values, long sample, Region region, int from, int count) {
    int local = Math.toIntExact(region.local().elements());
    double[] result = new double[local * count];
    for (int i = 0; i < count; i++) {
      for (Region.Piece piece : region.pieces()) {
        copy(
            values,
            (int) (sample * (from + i)),
            region.whole().toArray(),
            result,
            local * i,
            region.local().toArray(),
            piece,
            0);
      }
    }
    return result;
  }

  private static void copy(
      double[] from,
      int fromBase,
      long[] whole,
      double[] to,
      int toBase,
      long[] local,
      Region.Piece piece,
      int dimension) {
    if (dimension == whole.length) {
      to[toBase] = from[fromBase];
      return;
    }
    long fromStride = 1;
    long toStride = 1;
    for (int i = dimension + 1; i < whole.length; i++) {
      fromStride *= whole[i];
      toStride *= local[i];
    }
    for (long i = 0; i < piece.extents().get(dimension); i++) {
      copy(
          from,
          (int) (fromBase + (piece.from().get(dimension) + i) * fromStride),
          whole,
          to,
          (int) (toBase + (piece.at().get(dimension) + i) * toStride),
          local,
          piece,
          dimension + 1);
    }
  }

  private List<String> compare(
      LocalNetwork local, Computed own, int rank, int from, int count, double first, double last) {
    List<String> wrong = new ArrayList<>();
    // A bias before a normalisation has the gradient 0: what is left of the sum is compared with
    // the numbers that were added up.
    double largest =
        Math.max(largest(whole.weightGradients.values()), largest(whole.gradients.values()));
    Set<String> exchanges = new HashSet<>();
    for (NetworkSpec.Node node : local.spec().nodes()) {
      if (node.layer() instanceof Exchange) {
        exchanges.add(node.name());
      }
    }
    own.outputs.forEach(
        (name, values) -> {
          LocalTensor tensor = local.tensors().get(name);
          if (!tensor.summand() && !tensor.margins()) {
            double[] expected = expected(whole.outputs.get(tensor.origin()), tensor, from, count);
            compare(wrong, rank, "output of " + name, expected, values, first, 1);
          }
        });
    own.gradients.forEach(
        (name, values) -> {
          LocalTensor tensor = local.tensors().get(name);
          // An exchange sees the gradients of the layers after it alone, not of all that its input
          // has.
          if (!tensor.margins() && !tensor.summand() && !exchanges.contains(name)) {
            double[] expected = expected(whole.gradients.get(tensor.origin()), tensor, from, count);
            compare(wrong, rank, "gradient at " + name, expected, values, first, largest);
          }
        });
    own.weightGradients.forEach(
        (name, values) ->
            compare(
                wrong,
                rank,
                "gradient of " + name,
                part(whole.weightGradients.get(name), 0, local.regions().get(name), 0, 1),
                values,
                first,
                largest));
    own.parameters.forEach(
        (name, values) ->
            compare(
                wrong,
                rank,
                "last " + name,
                part(whole.parameters.get(name), 0, local.regions().get(name), 0, 1),
                values,
                last,
                RATE * largest));
    own.buffers.forEach(
        (name, values) ->
            compare(
                wrong,
                rank,
                "last " + name,
                part(whole.buffers.get(name), 0, local.regions().get(name), 0, 1),
                values,
                last,
                1));
    int classes = network.classes();
    double[] answers = new double[count * classes];
    System.arraycopy(whole.answers, from * classes, answers, 0, answers.length);
    compare(wrong, rank, "answers", answers, own.answers, last, 1);
    return wrong;
  }

  private static double[] expected(double[] values, LocalTensor tensor, int from, int count) {
    return part(
        values,
        tensor.region().whole().elements(),
        tensor.region(),
        from + Math.toIntExact(tensor.samples().from(count)),
        Math.toIntExact(tensor.samples().count(count)));
  }

  private static double largest(Iterable<double[]> all) {
    double largest = 0;
    for (double[] values : all) {
      for (double value : values) {
        largest = Math.max(largest, Math.abs(value));
      }
    }
    return largest;
  }

  private static void compare(
      List<String> wrong,
      int rank,
      String what,
      double[] expected,
      double[] actual,
      double tolerance,
      double scale) {
    if (expected.length != actual.length) {
      wrong.add("rank %d: %s: %d, not %d".formatted(rank, what, actual.length, expected.length));
      return;
    }
    double size = Math.max(scale * 1e-3, largest(List.of(expected)));
    for (int i = 0; i < expected.length; i++) {
      if (!(Math.abs(expected[i] - actual[i]) <= tolerance * Math.max(size, 1e-300))) {
        wrong.add(
            "rank %d: %s [%d of %d]: %s, not %s"
                .formatted(rank, what, i, expected.length, actual[i], expected[i]));
        return;
      }
    }
  }
}
