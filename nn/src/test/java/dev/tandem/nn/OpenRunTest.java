package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Training passes whose halves are apart. */
class OpenRunTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkSpec SPEC = SmallGraph.spec();
  private static final int RUNS = 3;
  private static final int BATCH = 4;

  /** Batches one after the other, all open at once, and repeated before the backward pass. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allOrdersHaveTheSameBits(boolean meeting) {
    Seed seed = TestSeed.of(OpenRunTest.class);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT32, RUNS * BATCH);
    try (Network alone = Network.create(ENGINE, SPEC, seed);
        Network open = Network.create(ENGINE, SPEC, seed);
        Network again = Network.create(ENGINE, SPEC, seed)) {
      List<OpenRun> kept = new ArrayList<>();
      List<OpenRun> repeated = new ArrayList<>();
      for (int i = 0; i < RUNS; i++) {
        Samples samples = batch.part(i * BATCH, BATCH).samples();
        TrainingStep step = step(seed, i, meeting);
        kept.add(open.begin(samples, step));
        repeated.add(again.beginRecomputing(samples, step));
        double loss = alone.forwardBackward(samples, step);
        kept.getLast().forward();
        repeated.getLast().forward();
        assertEquals(loss, kept.getLast().losses()[0]);
        assertEquals(loss, repeated.getLast().losses()[0]);
      }
      for (OpenRun run : kept) {
        run.backward();
        run.close();
      }
      for (OpenRun run : repeated) {
        run.backward();
        run.close();
      }
      assertSame(alone.gradients(), open.gradients());
      assertSame(alone.gradients(), again.gradients());
      assertSame(alone.buffers(), open.buffers());
      assertSame(alone.buffers(), again.buffers());
    }
  }

  private static TrainingStep step(Seed seed, int run, boolean meeting) {
    TrainingStep step =
        TrainingStep.of(seed, 7).withFirstSample((long) run * BATCH).withMeanOver(RUNS * BATCH);
    step = meeting ? step.withStatistics(StatisticsReducer.LOCAL) : step;
    return run == 0 ? step : step.accumulating();
  }

  private static void assertSame(List<TensorView> expected, List<TensorView> actual) {
    for (int i = 0; i < expected.size(); i++) {
      assertArrayEquals(
          expected.get(i).data().toArray(ValueLayout.JAVA_BYTE),
          actual.get(i).data().toArray(ValueLayout.JAVA_BYTE),
          expected.get(i).name());
    }
  }

  @ParameterizedTest
  @EnumSource(NetworkOptions.Precision.class)
  void anObserverIsShownEveryLayer(NetworkOptions.Precision precision) {
    Seed seed = TestSeed.of(OpenRunTest.class);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT32, BATCH);
    Map<String, double[]> values = new HashMap<>();
    List<String> outputs = new ArrayList<>();
    List<String> gradients = new ArrayList<>();
    Map<String, Shape> shapes = SPEC.shapes();
    LayerObserver observer =
        new LayerObserver() {
          @Override
          public void output(int shard, TensorView view) {
            outputs.add(view.name());
            values.put(view.name(), Batches.numbers(view));
            assertEquals(BATCH, view.shape().extents().getFirst());
            assertEquals(BATCH * shapes.get(view.name()).elements(), view.shape().elements());
          }

          @Override
          public void gradient(int shard, TensorView view) {
            gradients.add(view.name());
            values.put("gradient " + view.name(), Batches.numbers(view));
          }
        };
    NetworkOptions options = NetworkOptions.DEFAULT.withPrecision(precision);
    try (Network network = Network.create(ENGINE, SPEC, seed, options)) {
      network.forwardBackward(batch.samples(), TrainingStep.of(seed, 0).withObserver(observer));
    }
    List<String> names = SPEC.nodes().stream().map(NetworkSpec.Node::name).toList();
    assertEquals(names, outputs);
    assertEquals(names.reversed(), gradients);
    double[] sum = values.get("sum");
    double[] rectified = values.get("sum.relu");
    for (int i = 0; i < sum.length; i++) {
      assertEquals(Math.max(0, sum[i]), rectified[i]);
    }
    // All of the sum's gradient goes to each of its inputs, and to the second comes more.
    assertArrayEquals(values.get("gradient sum"), values.get("gradient left.bn"));
  }

  /** A group of one rank has nothing to move: the network is the same without its exchanges. */
  @ParameterizedTest
  @EnumSource(NetworkOptions.Precision.class)
  void exchangesOfOneRankChangeNothing(NetworkOptions.Precision precision) {
    Seed seed = TestSeed.of(OpenRunTest.class);
    NetworkSpec spec = OneRank.network();
    NetworkSpec plain =
        NetworkSpec.of(
            spec.input(),
            spec.nodes().stream()
                .map(NetworkSpec.Node::layer)
                .filter(layer -> !(layer instanceof Exchange))
                .toArray(LayerSpec[]::new));
    Batches batch = Batches.random(seed, spec, DType.FLOAT32, BATCH);
    NetworkOptions options = NetworkOptions.DEFAULT.withPrecision(precision);
    try (Network with = Network.create(ENGINE, spec, seed, options);
        Network without = Network.create(ENGINE, plain, seed, options)) {
      assertEquals(batch.train(without), batch.train(with));
      assertSame(without.gradients(), with.gradients());
      assertEquals(batch.evaluate(without), batch.evaluate(with));
      try (OpenRun run = with.beginRecomputing(batch.samples(), TrainingStep.of(seed, 0))) {
        run.forward();
        run.backward();
      }
      assertSame(without.gradients(), with.gradients());
    }
  }

  @Test
  void whatIsNotFinishedIsFreed() {
    Seed seed = TestSeed.of(OpenRunTest.class);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT32, BATCH);
    try (Network network = Network.create(ENGINE, SPEC, seed)) {
      OpenRun begun = network.begin(batch.samples(), TrainingStep.of(seed, 0));
      OpenRun half = network.begin(batch.samples(), TrainingStep.of(seed, 0));
      half.forward();
      begun.close();
      half.close();
    }
  }
}
