package dev.tandem.parallel.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Evaluation;
import dev.tandem.nn.GradientListener;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkPart;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.Samples;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.StatisticsReducer;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.models.LeNet;
import dev.tandem.nn.models.TransformerEncoder;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pipelines against one process that accumulates the same pieces: the same bits. */
class StageRunTest {

  private static final int STEPS = 2;
  private static final long FIRST_SAMPLE = 5;
  private static final SgdMomentum.Settings SETTINGS =
      new SgdMomentum.Settings(0.9, 0, false, Double.POSITIVE_INFINITY);
  private static final Seed PARAMETERS = new Seed(3);

  /** A pipeline and its samples. */
  private record Case(
      NetworkSpec network,
      List<Integer> begins,
      StageRun.Manner manner,
      int microBatches,
      int count,
      List<String> frozen,
      boolean statistics,
      Seed seed) {

    int pieces() {
      return manner.schedule().pieces(microBatches, count);
    }

    int stages() {
      return begins.size();
    }

    NetworkOptions options() {
      return NetworkOptions.DEFAULT.withFrozen(frozen);
    }

    StageCuts cuts() {
      return new StageCuts(LocalNetwork.undivided(network), Set.copyOf(frozen));
    }

    @Override
    public String toString() {
      return "%s of %d pieces of %d samples, cut %s, %s, frozen %s, statistics %s"
          .formatted(
              manner, pieces(), count, cuts().names(begins), network.input(), frozen, statistics);
    }
  }

  /**
   * What came out.
   *
   * @param bits of all parameters, buffers and the last gradients, in hexadecimal, by name
   */
  private record Outcome(Map<String, String> bits, double loss, Evaluation evaluation) {}

  @Test
  void sameBitsAsOneProcess() throws Exception {
    SplittableRandom random = TestSeed.of(StageRunTest.class).random();
    for (int round = 0; round < 9; round++) {
      check(random(branching(), 2 + round % 3, random));
    }
  }

  @Test
  @Tag("slow")
  void sameBitsForManyCutsAndSchedules() throws Exception {
    SplittableRandom random = TestSeed.of(StageRunTest.class).random();
    for (int round = 0; round < 40; round++) {
      check(random(branching(), random.nextInt(1, 6), random));
      check(random(LeNet.spec(10), random.nextInt(1, 5), random));
      check(random(TransformerEncoder.small(10), random.nextInt(1, 5), random));
    }
  }

  private static Case random(NetworkSpec network, int stages, SplittableRandom random) {
    StageCuts cuts = new StageCuts(LocalNetwork.undivided(network), Set.of());
    int layers = network.nodes().size();
    double[] costs = random.doubles(layers, 0.001, 1).toArray();
    List<Integer> begins = new Balance(cuts, costs, new double[layers]).begins(stages);
    Schedule schedule =
        List.of(
                new Schedule.Gpipe(),
                new Schedule.OneForwardOneBackward(),
                new Schedule.OneForwardOneBackward(),
                new Schedule.Sequential())
            .get(random.nextInt(4));
    boolean named = network.nodes().stream().anyMatch(node -> node.name().equals("stem"));
    return new Case(
        network,
        begins,
        new StageRun.Manner(schedule, random.nextInt(3) == 0),
        random.nextInt(1, 9),
        random.nextInt(1, 12),
        named && random.nextInt(4) == 0 ? List.of("stem", "stem.bn") : List.of(),
        random.nextInt(3) == 0,
        new Seed(random.nextLong()));
  }

  private static void check(Case test) throws Exception {
    Outcome expected = alone(test);
    Map<String, String> bits = new TreeMap<>();
    double loss = 0;
    Evaluation evaluation = Evaluation.NONE;
    List<Outcome> outcomes = Watchdog.within(Duration.ofMinutes(2), () -> stages(test));
    for (Outcome outcome : outcomes) {
      bits.putAll(outcome.bits);
      loss += outcome.loss;
      evaluation = evaluation.plus(outcome.evaluation);
    }
    assertEquals(expected.bits.keySet(), bits.keySet());
    expected.bits.forEach((name, value) -> assertEquals(value, bits.get(name), name + ": " + test));
    assertEquals(expected.loss, loss, 1e-6, test::toString);
    assertEquals(expected.evaluation, evaluation, test::toString);
  }

  private static List<Outcome> stages(Case test) throws Exception {
    List<Communicator> ranks = Communicator.threads(test.stages());
    try (ExecutorService threads = Executors.newFixedThreadPool(test.stages())) {
      List<Future<Outcome>> futures = new ArrayList<>();
      for (Communicator rank : ranks) {
        Callable<Outcome> work = () -> stage(test, rank);
        futures.add(threads.submit(work));
      }
      List<Outcome> outcomes = new ArrayList<>();
      for (Future<Outcome> future : futures) {
        outcomes.add(future.get());
      }
      return outcomes;
    }
  }

  private static Outcome stage(Case test, Communicator rank) {
    Mesh mesh = Mesh.of(new Mesh.Axis(Mesh.PIPELINE, test.stages()));
    StageCuts cuts = test.cuts();
    try (rank;
        Arena arena = Arena.ofShared();
        StageGroups groups = StageGroups.of(rank, mesh)) {
      LocalNetwork local = cuts.stage(test.begins, rank.rank(), groups.before(), groups.after());
      NetworkPart part = new NetworkPart(test.network, local.regions(), Optional.empty());
      try (Network network =
              Network.create(Engine.start(1), local.spec(), PARAMETERS, test.options(), part);
          Optimizer optimizer = new SgdMomentum(network, SETTINGS)) {
        StageRun run = new StageRun(network, groups, test.manner, rank.rank(), test.stages());
        double loss = 0;
        for (int step = 0; step < STEPS; step++) {
          Batch batch = new Batch(arena, test, step);
          Counter counter = new Counter();
          long before = rank.traffic().bytesSent();
          loss = run.run(pieces(test, batch, step, counter), _ -> {});
          assertEquals(bytes(cuts, test, rank.rank()), rank.traffic().bytesSent() - before);
          assertEquals(
              network.gradientGraph().parameters().size() * test.pieces(), counter.gradients);
          optimizer.step(0.05);
        }
        Batch batch = new Batch(arena, test, STEPS);
        Evaluation evaluation = network.evaluate(batch.samples(0, test.count));
        boolean answers = cuts.answering(test.begins) == rank.rank();
        groups.finish();
        rank.barrier();
        return new Outcome(bits(network), loss, answers ? evaluation : Evaluation.NONE);
      }
    }
  }

  /** What a stage sends: activations to the next one, gradients to the one before. */
  private static long bytes(StageCuts cuts, Case test, int stage) {
    long forward = stage + 1 < test.stages() ? cuts.elementsForward(test.begins.get(stage + 1)) : 0;
    long backward = stage > 0 ? cuts.elementsBackward(test.begins.get(stage)) : 0;
    return (forward + backward) * Float.BYTES * test.count;
  }

  private static Outcome alone(Case test) {
    try (Arena arena = Arena.ofShared();
        Network network =
            Network.create(Engine.start(1), test.network, PARAMETERS, test.options());
        Optimizer optimizer = new SgdMomentum(network, SETTINGS)) {
      double loss = 0;
      for (int number = 0; number < STEPS; number++) {
        Batch batch = new Batch(arena, test, number);
        loss = 0;
        for (StageRun.Piece piece : pieces(test, batch, number, new Counter())) {
          boolean first = piece.step().firstSample() == FIRST_SAMPLE;
          TrainingStep step = first ? piece.step() : piece.step().accumulating();
          loss += network.forwardBackward(piece.samples().get(), step) * piece.count() / test.count;
        }
        optimizer.step(0.05);
      }
      Batch batch = new Batch(arena, test, STEPS);
      return new Outcome(bits(network), loss, network.evaluate(batch.samples(0, test.count)));
    }
  }

  private static List<StageRun.Piece> pieces(
      Case test, Batch batch, int step, GradientListener listener) {
    List<StageRun.Piece> pieces = new ArrayList<>();
    for (int piece = 0; piece < test.pieces(); piece++) {
      int from = test.count * piece / test.pieces();
      int count = test.count * (piece + 1) / test.pieces() - from;
      pieces.add(
          new StageRun.Piece(
              count,
              () -> batch.samples(from, count),
              step(test, step, listener).withFirstSample(FIRST_SAMPLE + from)));
    }
    return pieces;
  }

  private static TrainingStep step(Case test, int number, GradientListener listener) {
    return TrainingStep.of(test.seed, number)
        .withMeanOver(test.count + FIRST_SAMPLE)
        .withStatistics(test.statistics ? StatisticsReducer.LOCAL : null)
        .withListener(listener);
  }

  private static Map<String, String> bits(Network network) {
    Map<String, String> bits = new TreeMap<>();
    put(bits, "", network.parameters());
    put(bits, "", network.buffers());
    put(bits, "gradient of ", network.gradients());
    return bits;
  }

  private static void put(Map<String, String> bits, String what, List<TensorView> tensors) {
    for (TensorView tensor : tensors) {
      byte[] bytes = tensor.data().toArray(ValueLayout.JAVA_BYTE);
      bits.put(what + tensor.name(), HexFormat.of().formatHex(bytes));
    }
  }

  private static final class Counter implements GradientListener {

    private int gradients;

    @Override
    public void ready(int shard, int parameter, TensorView gradient) {
      gradients++;
    }
  }

  /** Noise with labels that mean nothing. */
  private record Batch(MemorySegment inputs, MemorySegment labels, long elements, Arena arena) {

    Batch(Arena arena, Case test, int step) {
      this(
          arena.allocate(test.network.input().elements() * test.count * Float.BYTES, 64),
          arena.allocate((long) test.count * Long.BYTES, 64),
          test.network.input().elements(),
          arena);
      SplittableRandom random = test.seed.derive(step).random();
      for (long i = 0; i < elements * test.count; i++) {
        inputs.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextDouble(-1, 1));
      }
      for (int i = 0; i < test.count; i++) {
        labels.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextInt(test.network.classes()));
      }
    }

    Samples samples(int from, int count) {
      long bytes = elements * Float.BYTES;
      MemorySegment part = arena.allocate(bytes * count, 64);
      part.copyFrom(inputs.asSlice(from * bytes, bytes * count));
      return new Samples(
          part, labels.asSlice((long) from * Long.BYTES, (long) count * Long.BYTES), count);
    }
  }

  /** Tensors that skip stages, the input among them; helper outputs, dropout, batch norms. */
  private static NetworkSpec branching() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(3, 8, 8));
    network.add(new Convolution("stem", 8, 3, 1, 1).withoutBias());
    network.add(new BatchNorm("stem.bn"));
    String start = network.add(Activation.silu("stem.silu"));
    network.add(new Convolution("left", 8, 3, 1, 1).withoutBias(), start);
    String left = network.add(new BatchNorm("left.bn"));
    String sum = network.add(new Add("sum"), left, start);
    String middle = network.add(Activation.relu("sum.relu"));
    network.add(GlobalPool.max("helper.max"), middle);
    network.helper(network.add(new FullyConnected("helper.scores", 5)), 0.3);
    String right = network.add(new Convolution("right", 4, 1, 1, 0), NetworkSpec.INPUT);
    network.add(new Concatenation("all"), middle, right, sum, start);
    network.add(new Convolution("end", 6, 3, 2, 1));
    network.add(Activation.gelu("end.gelu"));
    network.add(new Dropout("drop", 0.3));
    network.add(GlobalPool.average("mean"));
    network.add(new FullyConnected("hidden", 7));
    network.add(new BatchNorm("hidden.bn"));
    network.add(new FullyConnected("scores", 5));
    return network.build();
  }
}
