package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.spec.LayerNames;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class FreezingTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkSpec SPEC = SmallGraph.spec();
  private static final NetworkOptions EXACT = NetworkOptions.DEFAULT.withDtype(DType.FLOAT64);
  private static final int BATCH = 6;

  /** Whatever is frozen: the same gradients both ways, none for what is frozen. */
  @Test
  void layerwiseAgreesWithAutogradForAnyLayers() {
    Seed seed = TestSeed.of(FreezingTest.class);
    SplittableRandom random = seed.random();
    for (int round = 0; round < 12; round++) {
      List<String> frozen = new ArrayList<>();
      if (round == 0) {
        // A group normalisation that is the lowest to learn needs a way of its own.
        frozen.addAll(List.of("stem", "stem.bn", "left", "left.bn", "right"));
      } else {
        SPEC.nodes().stream().filter(n -> random.nextBoolean()).forEach(n -> frozen.add(n.name()));
      }
      frozen.remove("scores");
      NetworkOptions options = EXACT.withFrozen(frozen);
      Batches batch = Batches.random(seed.derive(round), SPEC, DType.FLOAT64, BATCH);
      TrainingStep step = TrainingStep.of(seed, round);
      try (Network layerwise = Network.create(ENGINE, SPEC, seed, options);
          Network whole = Network.create(ENGINE, SPEC, seed, options)) {
        double loss = layerwise.forwardBackward(batch.samples(), step);
        assertEquals(WholeGraph.forwardBackward(whole, batch.samples(), step), loss, 1e-12);
        for (int p = 0; p < SPEC.parameters().size(); p++) {
          double[] gradient = Batches.numbers(layerwise.gradients().get(p));
          String name = layerwise.gradients().get(p).name();
          assertArrayEquals(
              Batches.numbers(whole.gradients().get(p)), gradient, 1e-11, name + " " + frozen);
          boolean learns = !frozen.contains(name.substring(0, name.lastIndexOf('.')));
          assertEquals(learns, !isZero(gradient), name + " " + frozen);
        }
      }
    }
  }

  @Test
  void frozenLayersStayWhateverTheOptimizer() {
    Seed seed = TestSeed.of(FreezingTest.class);
    List<Function<Network, Optimizer>> optimizers =
        List.of(
            network -> new SgdMomentum(network, new SgdMomentum.Settings(0.9, 0.1, true, 1)),
            network -> new Lars(network, new Lars.Settings(0.9, 5e-4, 0.001)),
            network -> new Lamb(network, new Lamb.Settings(0.9, 0.999, 1e-6, 1e-2)));
    NetworkOptions options = NetworkOptions.DEFAULT.withFrozen(List.of("stem*", "right*"));
    for (Function<Network, Optimizer> make : optimizers) {
      try (Network network = Network.create(ENGINE, SPEC, seed, options);
          Optimizer optimizer = make.apply(network)) {
        assertEquals(
            List.of("stem", "stem.bn", "stem.silu", "right", "right.gn"),
            List.copyOf(network.frozen()));
        Map<String, byte[]> before = bytes(network);
        List<String> told = new ArrayList<>();
        for (int step = 0; step < 3; step++) {
          told.clear();
          Batches batch = Batches.random(seed.derive(step), SPEC, DType.FLOAT32, BATCH);
          network.forwardBackward(
              batch.samples(),
              TrainingStep.of(seed, step).withListener((_, _, view) -> told.add(view.name())));
          optimizer.step(0.1);
        }
        GradientGraph graph = network.gradientGraph();
        assertEquals(graph.parameters().stream().map(GradientGraph.Parameter::name).toList(), told);
        bytes(network)
            .forEach(
                (name, now) -> {
                  boolean frozen = name.startsWith("stem") || name.startsWith("right");
                  assertFalse(frozen && told.contains(name), name);
                  assertEquals(frozen, Arrays.equals(before.get(name), now), name);
                });
      }
    }
  }

  /** The engine's kernel dies unless it is asked for the gradient of the data, too. */
  @Test
  void groupNormalisationMayBeTheLowestLayerThatLearns() {
    Seed seed = new Seed(6);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT32, BATCH);
    NetworkOptions options =
        NetworkOptions.DEFAULT.withFrozen(List.of("stem", "stem.*", "left*", "right"));
    try (Network network = Network.create(ENGINE, SPEC, seed, options)) {
      List<String> told = new ArrayList<>();
      network.forwardBackward(
          batch.samples(),
          TrainingStep.of(seed, 0).withListener((_, _, view) -> told.add(view.name())));
      assertTrue(told.contains("right.gn.weight"), told.toString());
      assertFalse(told.contains("right.weight"), told.toString());
    }
  }

  /** Synchronised normalisations that are frozen meet nobody. */
  @Test
  void frozenNormalisationsDoNotMeet() {
    Seed seed = new Seed(5);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT32, BATCH);
    List<String> met = new ArrayList<>();
    StatisticsReducer reducer =
        (layer, parts, total) -> {
          met.add(layer);
          StatisticsReducer.LOCAL.sum(layer, parts, total);
        };
    NetworkOptions options = NetworkOptions.DEFAULT.withFrozen(List.of("stem.bn"));
    try (Network network = Network.create(ENGINE, SPEC, seed, options)) {
      network.forwardBackward(batch.samples(), TrainingStep.of(seed, 0).withStatistics(reducer));
    }
    assertEquals(List.of("left.bn", "left.bn"), met);
  }

  @Test
  void namesAndPatternsPickLayers() {
    NetworkSpec resnet = ResNet.small(18, 10);
    assertEquals(
        resnet.nodes().stream()
            .map(NetworkSpec.Node::name)
            .filter(name -> name.startsWith("layer1."))
            .toList(),
        List.copyOf(LayerNames.matching(resnet, List.of("layer1"))));
    assertTrue(
        LayerNames.matching(resnet, List.of("layer?.0.*", "conv1"))
            .containsAll(List.of("conv1.bn", "layer2.0.1.conv", "layer4.0.relu")));
    var e =
        assertThrows(
            UsageException.class, () -> LayerNames.matching(SPEC, List.of("stem", "rihgt")));
    assertTrue(
        e.getMessage().startsWith("no layer is named 'rihgt'; similar names: right"),
        e.getMessage());
    NetworkOptions all = NetworkOptions.DEFAULT.withFrozen(List.of("*"));
    assertThrows(UsageException.class, () -> Network.create(ENGINE, SPEC, new Seed(1), all));
  }

  private static boolean isZero(double[] values) {
    for (double value : values) {
      if (value != 0) {
        return false;
      }
    }
    return true;
  }

  private static Map<String, byte[]> bytes(Network network) {
    List<TensorView> views = new ArrayList<>(network.parameters());
    views.addAll(network.buffers());
    Map<String, byte[]> bytes = new HashMap<>();
    views.forEach(view -> bytes.put(view.name(), view.data().toArray(ValueLayout.JAVA_BYTE)));
    return bytes;
  }
}
