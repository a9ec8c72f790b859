package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.models.DigitsNetwork;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SgdMomentumTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkOptions EXACT = NetworkOptions.DEFAULT.withDtype(DType.FLOAT64);

  @ParameterizedTest
  @CsvSource({"0.9, 0.01, true", "0.9, 0.01, false", "0.5, 0, true", "0, 0, false"})
  void updatesAsTheFormulaSays(double momentum, double weightDecay, boolean nesterov) {
    Seed seed = TestSeed.of(SgdMomentumTest.class);
    NetworkSpec spec = NetworkSpec.of(Shape.of(6), new FullyConnected("scores", 3));
    var settings =
        new SgdMomentum.Settings(momentum, weightDecay, nesterov, Double.POSITIVE_INFINITY);
    try (Network network = Network.create(ENGINE, spec, seed, EXACT);
        Optimizer optimizer = new SgdMomentum(network, settings)) {
      double[][] parameters = copy(network.parameters());
      double[][] directions = copy(momentum(optimizer));
      for (int step = 0; step < 3; step++) {
        double rate = 0.1 / (step + 1);
        Batches.random(seed.derive(step), spec, DType.FLOAT64, 4).train(network);
        double[][] gradients = copy(network.gradients());
        optimizer.step(rate);
        for (int p = 0; p < parameters.length; p++) {
          double decay = p == 0 ? weightDecay : 0; // the bias does not decay
          for (int i = 0; i < parameters[p].length; i++) {
            double slope = gradients[p][i] + decay * parameters[p][i];
            directions[p][i] = momentum * directions[p][i] + slope;
            double move = nesterov ? slope + momentum * directions[p][i] : directions[p][i];
            parameters[p][i] -= rate * move;
          }
          assertArrayEquals(parameters[p], copy(network.parameters())[p], 1e-12);
          assertArrayEquals(directions[p], copy(momentum(optimizer))[p], 1e-12);
        }
      }
    }
  }

  @Test
  void restoredStateGoesOnBitwise() {
    Seed seed = TestSeed.of(SgdMomentumTest.class);
    Batches batch = Batches.glyphs(seed, 32);
    Map<String, byte[]> saved = new TreeMap<>();
    try (Network network = Network.create(ENGINE, DigitsNetwork.spec(), seed);
        Optimizer optimizer = new SgdMomentum(network, DigitsNetwork.optimizer())) {
      step(network, optimizer, batch);
      StateTree tree = optimizer.stateTree(Map.of("step", "1"));
      assertEquals(2 * network.parameters().size() + 1, tree.tensors().size());
      assertEquals("1", tree.values().get("step"));
      tree.tensors()
          .forEach((name, view) -> saved.put(name, view.data().toArray(ValueLayout.JAVA_BYTE)));
      step(network, optimizer, batch);
      try (Network other = Network.create(ENGINE, DigitsNetwork.spec(), seed.derive("other"));
          Optimizer otherOptimizer = new SgdMomentum(other, DigitsNetwork.optimizer())) {
        otherOptimizer
            .stateTree(Map.of())
            .tensors()
            .forEach((name, view) -> view.data().copyFrom(MemorySegment.ofArray(saved.get(name))));
        step(other, otherOptimizer, batch);
        assertEquals(-1, network.parameterBuffer().mismatch(other.parameterBuffer()));
      }
    }
  }

  @Test
  void largeGradientsAreScaledDown() {
    NetworkSpec spec = NetworkSpec.of(Shape.of(2), new FullyConnected("scores", 2));
    var settings = new SgdMomentum.Settings(0, 0, false, 1);
    try (Network network = Network.create(ENGINE, spec, new Seed(1), EXACT);
        Optimizer optimizer = new SgdMomentum(network, settings)) {
      network.parameterBuffer().fill((byte) 0);
      TensorView gradient = network.gradients().getLast();
      gradient.data().setAtIndex(ValueLayout.JAVA_DOUBLE, 0, 3);
      gradient.data().setAtIndex(ValueLayout.JAVA_DOUBLE, 1, -4);
      optimizer.step(1);
      assertArrayEquals(new double[] {-0.6, 0.8}, copy(network.parameters())[1], 1e-12);
      optimizer.step(1); // its norm is 1 now: left alone
      assertArrayEquals(new double[] {-1.2, 1.6}, copy(network.parameters())[1], 1e-12);
    }
  }

  @Test
  void settingsAreChecked() {
    assertThrows(UsageException.class, () -> new SgdMomentum.Settings(1, 0, false, 1));
    assertThrows(UsageException.class, () -> new SgdMomentum.Settings(0.9, -1, false, 1));
    assertThrows(UsageException.class, () -> new SgdMomentum.Settings(0.9, 0, false, 0));
    assertThrows(UsageException.class, () -> new SgdMomentum.Settings(Double.NaN, 0, false, 1));
  }

  private static void step(Network network, Optimizer optimizer, Batches batch) {
    batch.train(network);
    optimizer.step(0.05);
  }

  /** What the optimizer keeps for each parameter, without its number of steps. */
  private static List<TensorView> momentum(Optimizer optimizer) {
    return optimizer.state().stream()
        .filter(view -> view.name().startsWith("optimizer.momentum."))
        .toList();
  }

  private static double[][] copy(List<TensorView> views) {
    return views.stream()
        .map(view -> view.data().toArray(ValueLayout.JAVA_DOUBLE))
        .toArray(double[][]::new);
  }
}
