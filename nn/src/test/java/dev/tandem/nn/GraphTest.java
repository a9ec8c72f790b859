package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A graph with branches, shortcuts, several consumers, dropout and a helper output. */
class GraphTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkSpec SPEC = SmallGraph.spec();
  private static final NetworkOptions EXACT = NetworkOptions.DEFAULT.withDtype(DType.FLOAT64);
  private static final int BATCH = 6;

  @ParameterizedTest
  @EnumSource(
      value = DType.class,
      names = {"FLOAT32", "FLOAT64"})
  void layerwiseAgreesWithAutograd(DType dtype) {
    Seed seed = TestSeed.of(GraphTest.class);
    NetworkOptions options = NetworkOptions.DEFAULT.withDtype(dtype);
    Batches batch = Batches.random(seed, SPEC, dtype, BATCH);
    TrainingStep step = TrainingStep.of(seed, 3);
    try (Network layerwise = Network.create(ENGINE, SPEC, seed, options);
        Network whole = Network.create(ENGINE, SPEC, seed, options)) {
      double loss = layerwise.forwardBackward(batch.samples(), step);
      assertEquals(WholeGraph.forwardBackward(whole, batch.samples(), step), loss, 1e-6 * loss);
      // Rounding adds up over a dozen layers, and the more where large terms cancel out: float32 is
      // held to a few thousand units in the last place, as float64 is (seed 9328821025692 had
      // 1.4e-5).
      double tolerance = dtype == DType.FLOAT64 ? 1e-12 : 1e-4;
      assertClose(whole.gradients(), layerwise.gradients(), tolerance);
      assertClose(whole.buffers(), layerwise.buffers(), tolerance);
    }
  }

  @Test
  void gradientsAgreeWithFiniteDifferences() {
    Seed seed = TestSeed.of(GraphTest.class);
    SplittableRandom random = seed.random();
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT64, BATCH);
    TrainingStep step = TrainingStep.of(seed, 3);
    int kinks = 0;
    int checked = 0;
    try (Network network = Network.create(ENGINE, SPEC, seed, EXACT)) {
      network.forwardBackward(batch.samples(), step);
      List<double[]> gradients = copies(network.gradients());
      for (int p = 0; p < gradients.size(); p++) {
        for (int i = 0; i < 6; i++) {
          TensorView parameter = network.parameters().get(p);
          int element = random.nextInt(gradients.get(p).length);
          double coarse = difference(network, batch, step, parameter, element, 1e-5);
          double fine = difference(network, batch, step, parameter, element, 5e-6);
          checked++;
          if (Math.abs(coarse - fine) > 1e-6) {
            kinks++;
          } else {
            assertEquals(fine, gradients.get(p)[element], 1e-6, parameter.name());
          }
        }
      }
    }
    assertTrue(kinks < checked / 10, kinks + " kinks of " + checked);
  }

  @Test
  void gradientsAreToldInTheOrderOfTheGradientGraph() {
    Seed seed = TestSeed.of(GraphTest.class);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT32, BATCH);
    List<String> told = new ArrayList<>();
    try (Network network = Network.create(ENGINE, SPEC, seed)) {
      List<float[]> early = new ArrayList<>();
      GradientListener listener =
          (shard, parameter, gradient) -> {
            assertEquals(network.gradients().get(parameter), gradient);
            told.add(gradient.name());
            early.add(gradient.data().toArray(ValueLayout.JAVA_FLOAT));
          };
      network.forwardBackward(batch.samples(), TrainingStep.of(seed, 0).withListener(listener));
      GradientGraph graph = network.gradientGraph();
      assertEquals(graph.parameters().stream().map(GradientGraph.Parameter::name).toList(), told);
      assertEquals(SPEC.parameterCount() * Float.BYTES, graph.bytes());
      for (int i = 0; i < told.size(); i++) {
        String name = told.get(i);
        TensorView last =
            network.gradients().stream().filter(v -> v.name().equals(name)).findFirst().get();
        assertArrayEquals(last.data().toArray(ValueLayout.JAVA_FLOAT), early.get(i), name);
      }
    }
  }

  @Test
  void gradientsAddUp() {
    Seed seed = TestSeed.of(GraphTest.class);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT64, 2 * BATCH);
    Samples first = batch.part(0, BATCH).samples();
    Samples second = batch.part(BATCH, BATCH).samples();
    TrainingStep step = TrainingStep.of(seed, 0);
    try (Network network = Network.create(ENGINE, SPEC, seed, EXACT)) {
      network.forwardBackward(first, step);
      List<double[]> sums = copies(network.gradients());
      network.forwardBackward(second, step);
      List<double[]> others = copies(network.gradients());
      network.forwardBackward(first, step.accumulating());
      List<double[]> both = copies(network.gradients());
      for (int p = 0; p < sums.size(); p++) {
        for (int i = 0; i < sums.get(p).length; i++) {
          assertEquals(sums.get(p)[i] + others.get(p)[i], both.get(p)[i], 1e-12);
        }
      }
    }
  }

  @Test
  void helperOutputsCountInTrainingAlone() {
    Seed seed = TestSeed.of(GraphTest.class);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT64, BATCH);
    try (Network network = Network.create(ENGINE, SPEC, seed, EXACT)) {
      Evaluation before = network.evaluate(batch.samples());
      for (TensorView parameter : network.parameters()) {
        if (parameter.name().startsWith("helper")) {
          parameter.data().fill((byte) 0);
        }
      }
      assertEquals(before, network.evaluate(batch.samples()));
      MemorySegment scores = Arena.ofAuto().allocate(8L * BATCH * SPEC.classes(), 64);
      network.predict(batch.images(), BATCH, scores);
      double sum = 0;
      for (int i = 0; i < BATCH; i++) {
        double total = 0;
        for (int j = 0; j < SPEC.classes(); j++) {
          total +=
              Math.exp(scores.getAtIndex(ValueLayout.JAVA_DOUBLE, (long) i * SPEC.classes() + j));
        }
        long label = batch.labels().getAtIndex(ValueLayout.JAVA_LONG, i);
        sum +=
            Math.log(total)
                - scores.getAtIndex(ValueLayout.JAVA_DOUBLE, (long) i * SPEC.classes() + label);
      }
      assertEquals(before.lossSum(), sum, 1e-9);
    }
  }

  @Test
  void mixedPrecisionComesClose() {
    Seed seed = TestSeed.of(GraphTest.class);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT32, 16);
    TrainingStep step = TrainingStep.of(seed, 1);
    try (Network full = Network.create(ENGINE, SPEC, seed);
        Network mixed =
            Network.create(
                ENGINE,
                SPEC,
                seed,
                NetworkOptions.DEFAULT.withPrecision(NetworkOptions.Precision.MIXED))) {
      double loss = full.forwardBackward(batch.samples(), step);
      assertEquals(loss, mixed.forwardBackward(batch.samples(), step), 0.05 * loss);
      float[] expected = full.gradientBuffer().toArray(ValueLayout.JAVA_FLOAT);
      float[] actual = mixed.gradientBuffer().toArray(ValueLayout.JAVA_FLOAT);
      double product = 0;
      double expectedNorm = 0;
      double actualNorm = 0;
      for (int i = 0; i < expected.length; i++) {
        product += (double) expected[i] * actual[i];
        expectedNorm += (double) expected[i] * expected[i];
        actualNorm += (double) actual[i] * actual[i];
      }
      double cosine = product / Math.sqrt(expectedNorm * actualNorm);
      assertTrue(cosine > 0.97, "cosine " + cosine);
    }
  }

  private static double difference(
      Network network,
      Batches batch,
      TrainingStep step,
      TensorView parameter,
      long element,
      double by) {
    MemorySegment data = parameter.data();
    double value = data.getAtIndex(ValueLayout.JAVA_DOUBLE, element);
    data.setAtIndex(ValueLayout.JAVA_DOUBLE, element, value + by);
    double above = network.forwardBackward(batch.samples(), step);
    data.setAtIndex(ValueLayout.JAVA_DOUBLE, element, value - by);
    double below = network.forwardBackward(batch.samples(), step);
    data.setAtIndex(ValueLayout.JAVA_DOUBLE, element, value);
    return (above - below) / (2 * by);
  }

  private static List<double[]> copies(List<TensorView> views) {
    return views.stream().map(view -> view.data().toArray(ValueLayout.JAVA_DOUBLE)).toList();
  }

  private static void assertClose(
      List<TensorView> expected, List<TensorView> actual, double tolerance) {
    for (int i = 0; i < expected.size(); i++) {
      double[] left = Batches.numbers(expected.get(i));
      double[] right = Batches.numbers(actual.get(i));
      double largest = 0;
      double error = 0;
      for (int j = 0; j < left.length; j++) {
        largest = Math.max(largest, Math.abs(left[j]));
        error = Math.max(error, Math.abs(left[j] - right[j]));
      }
      assertTrue(
          error <= tolerance * largest,
          expected.get(i).name() + " is off by " + error + " of " + largest);
    }
  }
}
