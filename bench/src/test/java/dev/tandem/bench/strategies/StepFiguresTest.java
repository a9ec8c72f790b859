package dev.tandem.bench.strategies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.bench.strategies.LayerClock.Activity;
import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerPass;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.Planner;
import dev.tandem.parallel.exchange.NoTransfer;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.strategy.Strategy;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StepFiguresTest {

  @Test
  void linesAreReadAsTheyWereWritten() {
    StepFigures figures =
        new StepFigures(
            0.25,
            0.0625,
            0.03125,
            0,
            0.5,
            123_456_789,
            1 << 20,
            List.of(new LayerSeconds(0.125, 0.0625, 0), new LayerSeconds(0.5, 0, 0.25)));
    String[] words = ("turn filter " + figures.line()).split(" ", -1);
    assertEquals(figures, StepFigures.of(words, 2));
  }

  @Test
  void networksGoByTheirNames() {
    for (StrategiesNetwork network : StrategiesNetwork.values()) {
      assertEquals(network, StrategiesNetwork.of(network.code()));
    }
    UsageException e = assertThrows(UsageException.class, () -> StrategiesNetwork.of("resnet1000"));
    assertEquals(
        "no network 'resnet1000' to measure: there are cifar, resnet18-small, transformer",
        e.getMessage());
  }

  /** What travels counts for the layer that gets it, or else for the one that gave it. */
  @Test
  void exchangesCountForTheirLayers() {
    NetworkSpec whole = StrategiesNetwork.CIFAR.spec();
    Mesh mesh = Mesh.of(new Mesh.Axis("filter", 2));
    LocalNetwork local = Planner.plan(whole, mesh, Strategy.USUAL, 0, _ -> new NoTransfer(2, 0));
    LayerClock clock = new LayerClock(whole, local.spec(), false);
    for (NetworkSpec.Node node : local.spec().nodes()) {
      clock.took(node.name(), LayerPass.FORWARD, 1_000_000_000, 0);
      if (node.layer() instanceof Exchange) {
        clock.took(node.name(), LayerPass.BACKWARD_DATA, 0, 2_000_000_000);
      }
    }
    List<LayerSeconds> layers = clock.seconds(1);
    assertEquals(whole.nodes().size(), layers.size());
    layers.forEach(layer -> assertEquals(1, layer.compute()));
    double exchanges = local.spec().nodes().size() - whole.nodes().size();
    assertTrue(exchanges > 1);
    assertEquals(exchanges, layers.stream().mapToDouble(LayerSeconds::copy).sum());
    assertEquals(exchanges, clock.seconds(Activity.COPY));
    assertEquals(2 * exchanges, clock.seconds(Activity.EXCHANGE));
    assertEquals(new LayerSeconds(1, 0, 0), layers.getFirst());
    // The last layer's parts are gathered for its own output, and another gather brings its input.
    assertTrue(layers.getLast().copy() >= 1);
    clock.reset();
    assertEquals(0, clock.seconds(Activity.COPY));
  }

  @Test
  void firstParametersAreFarFromTrainedOnes() {
    for (DType type : List.of(DType.FLOAT32, DType.FLOAT64)) {
      try (Workload workload = new Workload(StrategiesNetwork.CIFAR.spec(), type, 2);
          Network network =
              workload.network(
                  LocalNetwork.undivided(workload.network()), Engine.start(1), Optional.empty())) {
        assertTrue(workload.error(network, 1) > 1e-5);
      }
    }
  }
}
