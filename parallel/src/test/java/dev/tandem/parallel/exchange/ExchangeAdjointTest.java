package dev.tandem.parallel.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.Engine;
import dev.tandem.nn.LayerPasses;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Movement;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Exchange layers bring each number to its place, and their backward passes are the exact adjoints.
 * Values are small whole numbers and halves, so that sums are exact in every type and order.
 */
class ExchangeAdjointTest {

  private static final int CASES = 60;
  private static final List<DType> TYPES = List.of(DType.FLOAT32, DType.FLOAT64, DType.BFLOAT16);

  /** What one rank put in and got out. */
  private static final class Passed {
    private final double[] source;
    private final double[] result;
    private final double[] gradient;
    private final double[] back;

    Passed(double[] source, double[] result, double[] gradient, double[] back) {
      this.source = source;
      this.result = result;
      this.gradient = gradient;
      this.back = back;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void valuesArriveAndGradientsReturn(int ranks) throws Exception {
    Seed seed = TestSeed.of(getClass());
    SplittableRandom random = seed.random();
    List<MovementCases> cases = new ArrayList<>();
    for (int i = 0; i < CASES; i++) {
      cases.add(MovementCases.draw(ranks, random));
    }
    Engine engine = Engine.start(1);
    List<FutureTask<List<Passed>>> work = new ArrayList<>();
    for (Communicator communicator : Communicator.threads(ranks)) {
      work.add(new FutureTask<>(() -> rank(engine, communicator, cases, seed)));
    }
    work.forEach(task -> Thread.ofPlatform().daemon().start(task));
    List<List<Passed>> ofRanks =
        Watchdog.within(
            Duration.ofMinutes(2),
            () -> {
              List<List<Passed>> all = new ArrayList<>();
              for (FutureTask<List<Passed>> task : work) {
                all.add(task.get());
              }
              return all;
            });
    for (int i = 0; i < CASES; i++) {
      int number = i;
      check(cases.get(i), ofRanks.stream().map(passes -> passes.get(number)).toList(), i);
    }
  }

  private static void check(MovementCases drawn, List<Passed> passed, int number) {
    String name = "case " + number + ": " + drawn.forward().getFirst().collective();
    List<double[]> sources = passed.stream().map(each -> each.source).toList();
    List<double[]> gradients = passed.stream().map(each -> each.gradient).toList();
    List<double[]> results =
        MovementCases.moved(
            drawn.forward(), drawn.source(), drawn.result(), sources, drawn.samples());
    List<double[]> backs =
        MovementCases.moved(
            drawn.backward(), drawn.result(), drawn.source(), gradients, drawn.samples());
    double forward = 0;
    double backward = 0;
    for (int rank = 0; rank < passed.size(); rank++) {
      assertArrayEquals(results.get(rank), passed.get(rank).result, name + ", forward");
      assertArrayEquals(backs.get(rank), passed.get(rank).back, name + ", backward");
      forward += product(passed.get(rank).result, gradients.get(rank));
      backward += product(passed.get(rank).back, sources.get(rank));
    }
    if (drawn.isLinear()) {
      assertEquals(forward, backward, name + ": <E x, y> is not <x, E' y>");
    }
  }

  private static double product(double[] left, double[] right) {
    double sum = 0;
    for (int i = 0; i < left.length; i++) {
      sum += left[i] * right[i];
    }
    return sum;
  }

  private static List<Passed> rank(
      Engine engine, Communicator communicator, List<MovementCases> cases, Seed seed) {
    List<Passed> passes = new ArrayList<>();
    try (communicator) {
      int rank = communicator.rank();
      GroupTransfer transfer = new GroupTransfer(communicator.size(), rank);
      transfer.over(communicator);
      SplittableRandom random = seed.derive(rank).random();
      for (int i = 0; i < cases.size(); i++) {
        DType type = TYPES.get(i % TYPES.size());
        passes.add(pass(engine, cases.get(i), rank, transfer, type, random));
      }
    }
    return passes;
  }

  private static Passed pass(
      Engine engine,
      MovementCases drawn,
      int rank,
      GroupTransfer transfer,
      DType type,
      SplittableRandom random) {
    Movement forward = drawn.forward().get(rank);
    Shape before = drawn.source().get(rank);
    Shape after = drawn.result().get(rank);
    Exchange layer =
        new Exchange(
            "exchange",
            Exchange.Role.WITHIN,
            after,
            forward,
            drawn.backward().get(rank),
            transfer,
            true);
    long in = forward.source().count(drawn.samples()) * before.elements();
    long out = forward.result().count(drawn.samples()) * after.elements();
    double[] source = random.doubles(in, -2, 2.5).map(Math::floor).toArray();
    double[] gradient = random.doubles(out, -2, 2.5).map(Math::floor).toArray();
    try (Arena arena = Arena.ofConfined();
        LayerPasses passes = new LayerPasses(engine, layer, List.of(before), type, new Seed(1))) {
      MemorySegment output = arena.allocate(out * type.bytes(), 64);
      MemorySegment back = arena.allocate(in * type.bytes(), 64);
      passes.forward(
          List.of(memory(arena, type, source)),
          drawn.samples(),
          TrainingStep.of(new Seed(1), 0),
          output);
      passes.backwardData(memory(arena, type, gradient), List.of(back));
      return new Passed(source, values(output, type, out), gradient, values(back, type, in));
    }
  }

  private static MemorySegment memory(Arena arena, DType type, double[] values) {
    MemorySegment memory = arena.allocate((long) values.length * type.bytes(), 64);
    for (int i = 0; i < values.length; i++) {
      switch (type) {
        case FLOAT64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, values[i]);
        case FLOAT32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) values[i]);
        default -> {
          int bits = Float.floatToRawIntBits((float) values[i]);
          memory.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) (bits >>> 16));
        }
      }
    }
    return memory;
  }

  private static double[] values(MemorySegment memory, DType type, long count) {
    double[] values = new double[Math.toIntExact(count)];
    for (int i = 0; i < count; i++) {
      values[i] =
          switch (type) {
            case FLOAT64 -> memory.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            case FLOAT32 -> memory.getAtIndex(ValueLayout.JAVA_FLOAT, i);
            default -> Float.intBitsToFloat(memory.getAtIndex(ValueLayout.JAVA_SHORT, i) << 16);
          };
    }
    return values;
  }
}
