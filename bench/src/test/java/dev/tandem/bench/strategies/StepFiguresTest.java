package dev.tandem.bench.strategies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.parallel.LocalNetwork;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StepFiguresTest {

  @Test
  void linesAreReadAsTheyWereWritten() {
    StepFigures figures = new StepFigures(0.25, 0.0625, 0.03125, 0, 123_456_789);
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

  @Test
  void firstParametersAreFarFromTrainedOnes() {
    try (Workload workload = new Workload(StrategiesNetwork.CIFAR.spec(), 2);
        Network network =
            Workload.network(
                LocalNetwork.undivided(workload.network()), Engine.start(1), Optional.empty())) {
      assertTrue(workload.error(network, 1) > 0);
    }
  }
}
